// Calls of one owner's environments.
import assert from "node:assert/strict";
import type { Body, TestApp, TestResponse } from "../harness/test-app.ts";

type Headers = Readonly<Record<string, string>>;

export interface Environments {
  /** Any call below the project. */
  call(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly query?: string; readonly headers?: Headers },
  ): Promise<TestResponse>;
  /** Changes environments. */
  change(environments: unknown, more?: object, query?: string): Promise<TestResponse>;
  /** The same for entries of one, which has to succeed. */
  set(environment: string, entries: unknown): Promise<Body>;
  get(environment: string): Promise<Body>;
  values(environment: string, query?: string, headers?: Headers): Promise<TestResponse>;
}

/** The environments of a project of the account behind `token`, or of a team. */
export function openEnvironments(
  { request }: Pick<TestApp, "request">,
  token: string,
  project: string,
  teamId?: string,
): Environments {
  const scope = teamId === undefined ? "" : `teamId=${teamId}`;
  const self: Environments = {
    call: (method, path, { query = "", ...options } = {}) =>
      request(method, `/v1/environments/${project}${path}?${[scope, query].filter(Boolean).join("&")}`, {
        token,
        ...options,
      }),
    change: (environments, more = {}, query = "") => self.call("PATCH", "", { body: { environments, ...more }, query }),
    async set(environment, entries) {
      const { status, body, text } = await self.change({ [environment]: { set: entries } });
      assert.equal(status, 200, text);
      return body.environments[0];
    },
    async get(environment) {
      const { status, body, text } = await self.call("GET", `/${environment}`);
      assert.equal(status, 200, text);
      return body;
    },
    values: (environment, query = "", headers = {}) => self.call("GET", `/${environment}/values`, { query, headers }),
  };
  return self;
}
