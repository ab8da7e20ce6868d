// A server with an environment, for tests of programs and files that use its values.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStorage } from "../harness/test-app.ts";
import { runReeve, serveReeve } from "./in-process.ts";
import type { CommandOptions, Ended, Environment, Server } from "./in-process.ts";

const ADMIN = "an_administrators_token_of_this_test";

type Entries = Readonly<
  Record<string, { readonly value: string } | { readonly secretValue: string } | { readonly secret: string }>
>;

export interface ApplicationWorld {
  readonly folder: string;
  readonly server: Server;
  /** What reaches the server: its URL and an administrator's token. */
  readonly remote: Readonly<Record<string, string>>;
  call(method: string, path: string, body?: unknown): Promise<Response>;
  set(environment: string, set: Entries, remove?: readonly string[]): Promise<void>;
  /** A key of the team with the limits. */
  createKey(limits: object): Promise<{ readonly id: string; readonly value: string }>;
  /** Events of the team, newest first. */
  events(type: string): Promise<readonly { readonly payload: Record<string, unknown> }[]>;
  run(args: readonly string[], more?: Environment, options?: CommandOptions): Promise<Ended>;
  stop(): Promise<void>;
}

/** Flags of the environment `production` of the project `shop` of the team `acme`. */
export const PLACE = ["--team", "acme", "--project", "shop", "--env", "production"];

export async function startApplicationWorld(): Promise<ApplicationWorld> {
  const storage = await createStorage();
  const folder = mkdtempSync(join(tmpdir(), "reeve-application-"));
  const server = await serveReeve({ ...storage.flags, bootstrapToken: ADMIN });
  const remote = { REEVE_SERVER: server.url, REEVE_TOKEN: ADMIN, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder };
  const call: ApplicationWorld["call"] = async (method, path, body) =>
    await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const made = await call("POST", "/v1/teams", { slug: "acme", name: "Acme" });
  assert.equal(made.status, 200, await made.text());
  return {
    folder,
    server,
    remote,
    call,
    async set(environment, set, remove = []) {
      const body = { environments: { [environment]: { set, remove } } };
      const response = await call("PATCH", "/v1/environments/shop?slug=acme", body);
      assert.equal(response.status, 200, await response.text());
    },
    async createKey(limits) {
      const response = await call("POST", "/v1/api-keys?slug=acme", { name: "app", role: "DEVELOPER", ...limits });
      const body = (await response.json()) as { apiKey: { id: string }; value: string };
      assert.equal(response.status, 200, JSON.stringify(body));
      return { id: body.apiKey.id, value: body.value };
    },
    async events(type) {
      const response = await call("GET", `/v3/events?slug=acme&types=${type}&withPayload=true&limit=100`);
      return ((await response.json()) as { events: { payload: Record<string, unknown> }[] }).events;
    },
    run: async (args, more = {}, options = {}) => await runReeve(args, {}, { ...remote, ...more }, options),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true });
      await storage.remove();
    },
  };
}
