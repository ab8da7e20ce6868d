// Calls of a project's bypass list.
import assert from "node:assert/strict";
import type { TestResponse, Body, RecordedEvent, TestApp, TestUser } from "../harness/test-app.ts";

export const BYPASS_PATH = "/v1/security/firewall/bypass";

export interface BypassList {
  readonly user: TestUser;
  /** Any call; `rest` follows the project in the query. */
  call(method: string, rest?: string, body?: unknown): Promise<TestResponse>;
  add(body: unknown): Promise<TestResponse>;
  remove(body: unknown): Promise<TestResponse>;
  list(rest?: string): Promise<Body>;
  /** Ids without the project. */
  ids(rest?: string): Promise<string[]>;
  /** The events of the list, oldest first. */
  events(): Promise<RecordedEvent[]>;
}

/** The list of a new account. */
export async function openBypassList(
  { request, createUser, readEvents }: TestApp,
  projectId = "default",
): Promise<BypassList> {
  const user = await createUser();
  const { token } = user;
  const self: BypassList = {
    user,
    call: (method, rest = "", body) =>
      request(method, `${BYPASS_PATH}?projectId=${projectId}${rest}`, {
        token,
        ...(body === undefined ? {} : { body }),
      }),
    add: (body) => self.call("POST", "", body),
    remove: (body) => self.call("DELETE", "", body),
    async list(rest) {
      const response = await self.call("GET", rest);
      assert.equal(response.status, 200, response.text);
      return response.body;
    },
    ids: async (rest) => (await self.list(rest)).result.map(({ Id }: Body) => Id.slice(projectId.length + 1)),
    events: async () => (await readEvents(user.id)).filter(({ type }) => type.startsWith("firewall-bypass-")),
  };
  return self;
}

/** Status, code and field of a refusal. */
export function refused({ status, body }: TestResponse): unknown[] {
  return [status, body.error?.code, body.error?.field];
}
