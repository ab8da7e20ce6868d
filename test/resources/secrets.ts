// Calls of one owner's secrets.
import assert from "node:assert/strict";
import type { TestResponse, Body, TestApp } from "../harness/test-app.ts";

type Headers = Readonly<Record<string, string>>;

export interface Vault {
  /** Any call below `/v2/secrets`. */
  call(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly query?: string; readonly headers?: Headers },
  ): Promise<TestResponse>;
  create(body: unknown): Promise<TestResponse>;
  /** A new decryptable secret; it has to be created. */
  add(name: string, more?: object): Promise<Body>;
  read(idOrName: string, query?: string): Promise<TestResponse>;
  reveal(idOrName: string): Promise<TestResponse>;
  put(idOrName: string, body: unknown, headers?: Headers): Promise<TestResponse>;
  change(idOrName: string, body: unknown, headers?: Headers): Promise<TestResponse>;
  renameAll(renames: readonly unknown[]): Promise<TestResponse>;
  remove(idOrName: string, query?: string): Promise<TestResponse>;
  restore(idOrName: string, body?: unknown): Promise<TestResponse>;
  list(query?: string): Promise<Body>;
  /** Names of the living secrets, newest first. */
  listNames(): Promise<string[]>;
  /** What a secret is and was called as `name kind`, newest first. */
  history(idOrName: string): Promise<string[]>;
}

/** The secrets of the account behind `token`, or those of a team as that account or key sees them. */
export function openVault({ request }: Pick<TestApp, "request">, token: string, teamId?: string): Vault {
  const scope = teamId === undefined ? "" : `teamId=${teamId}`;
  const self: Vault = {
    call: (method, path, { query = "", ...options } = {}) =>
      request(method, `/v2/secrets${path}?${[scope, query].filter(Boolean).join("&")}`, { token, ...options }),
    create: (body) => self.call("POST", "", { body }),
    async add(name, more = {}) {
      const created = await self.create({ name, value: `value of ${name}`, decryptable: true, ...more });
      assert.equal(created.status, 200, created.text);
      return created.body;
    },
    read: (idOrName, query = "") => self.call("GET", `/${idOrName}`, { query }),
    reveal: (idOrName) => self.read(idOrName, "decrypt=true"),
    put: (idOrName, body, headers = {}) => self.call("PUT", `/${idOrName}`, { body, headers }),
    change: (idOrName, body, headers = {}) => self.call("PATCH", `/${idOrName}`, { body, headers }),
    renameAll: (renames) => self.call("POST", "/rename", { body: { renames } }),
    remove: (idOrName, query = "") => self.call("DELETE", `/${idOrName}`, { query }),
    restore: (idOrName, body) => self.call("POST", `/${idOrName}/restore`, body === undefined ? {} : { body }),
    async list(query = "") {
      const response = await self.call("GET", "", { query });
      assert.equal(response.status, 200, response.text);
      return response.body;
    },
    listNames: async () => (await self.list("limit=100")).secrets.map(({ name }: Body) => name),
    async history(idOrName) {
      const { body } = await self.call("GET", `/${idOrName}/names`, { query: "limit=100" });
      return body.names.map(({ name, kind }: Body) => `${name} ${kind}`);
    },
  };
  return self;
}

/** What came of a call: `ok`, or the code that refused it. */
export function outcome({ status, body }: TestResponse): string {
  return status === 200 ? "ok" : body.error.code;
}
