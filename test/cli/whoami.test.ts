// `reeve whoami` with each kind of credential, as a process, against a server that is one too.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Body } from "../harness/test-app.ts";
import { createStorage } from "../harness/test-app.ts";
import { runReeve, serveReeve } from "./in-process.ts";
import type { Server } from "./in-process.ts";

const storage = await createStorage();
let server: Server;
before(async () => {
  server = await serveReeve(storage.flags);
});
after(async () => {
  await server.stop();
  await storage.remove();
});

/** Without the contexts of the person who runs the tests. */
const whoami = (token: string, args: readonly string[] = []) =>
  runReeve(
    ["whoami", ...args],
    {},
    { REEVE_SERVER: server.url, REEVE_TOKEN: token, XDG_CONFIG_HOME: join(import.meta.dirname, "no-folder") },
  );

test("whoami says whose API key it is, and what a key or token allows until when", async () => {
  const headers = { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" };
  const post = async (path: string, body: unknown) => {
    const response = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as Body;
  };
  const { id } = await post("/v1/teams", { slug: "acme" });
  const ofTeam = `?teamId=${id}`;
  const team = { id, slug: "acme" };
  const user = "You are +admin \\(.+@.+\\)\nCredential +an API key of an account";
  const reads = { permissions: ["secret:read"], allowedCidrs: ["127.0.0.0/8"], expiresAt: Date.UTC(2099, 0, 2) };
  const readsOnly =
    "It may see names of secrets, and nothing else. It works only from 127.0.0.0/8. It ends on 2099-01-02 at 00:00 UTC.";
  const all = "It may do everything that the role OWNER may. It works from any address. It has no end.";
  const none = "It may do nothing. Of secrets and variables it knows only X. It works from any address. It has no end.";
  for (const { query = "", limits = {}, username, owner, text, allows, expires = "never" } of [
    { username: "admin", owner: { owner: "user", team: null }, text: user, allows: all },
    {
      limits: { permissions: ["team:read"], names: ["X"] },
      owner: { owner: "user", team: null },
      text: "You are +an API key of an account",
      allows: none.replace("nothing.", "nothing. Of no use so: team:read."),
    },
    {
      query: ofTeam,
      owner: { owner: "team", team },
      text: `You are +an API key of the team acme \\(${id}\\)`,
      allows: all,
    },
    {
      query: ofTeam,
      limits: reads,
      owner: { owner: "team", team: { id, slug: null } },
      text: `You are +an API key of the team ${id}`,
      allows: readsOnly,
      expires: "2099-01-02.*",
    },
  ]) {
    const made = await post(`/v1/api-keys${query}`, { name: "ci", role: "OWNER", ...limits });
    const { stdout, stderr } = await whoami(made["value"], ["--json"]);
    const identity = JSON.parse(stdout || stderr);
    const expiresAt = made["apiKey"].expiresAt;
    const free = { permissions: null, projects: null, environments: null, names: null, allowedCidrs: [] };
    const { expiresAt: _end, ...given } = { expiresAt: 0, ...limits };
    const apiKey = { id: made["apiKey"].id, name: "ci", role: "OWNER", ...free, ...given, ...owner, allows, expiresAt };
    assert.deepEqual([identity.user?.username, identity.token, identity.apiKey], [username, null, apiKey], stderr);
    const shown = `${text}\nAPI key +ci\nAllows +${RegExp.escape(allows)}\nExpires +${expires}\n$`;
    assert.match((await whoami(made["value"])).stdout, new RegExp(`\n${shown}`));
  }
  const limits = { name: "ci", permissions: ["secret:read"], names: ["SHOP_*"] };
  const { bearerToken } = await post("/v3/user/tokens", limits);
  const { token, apiKey } = JSON.parse((await whoami(bearerToken as string, ["--json"])).stdout);
  const allows = "It may see names of secrets, and nothing else. Of secrets and variables it knows only SHOP_*.";
  assert.deepEqual([token.allows.startsWith(allows), apiKey], [true, null]);
  const { permissions, projects, environments, names } = token;
  assert.deepEqual([permissions, projects, environments, names], [["secret:read"], null, null, ["SHOP_*"]]);
  assert.ok((await whoami(bearerToken as string)).stdout.includes(`\nAllows      ${allows}`));
});

test("whoami --json takes fields, and alone prints them all", async () => {
  const token = server.adminToken as string;
  const all = JSON.parse((await whoami(token, ["--json"])).stdout);
  assert.deepEqual(Object.keys(all), ["server", "context", "user", "token", "apiKey"]);
  const chosen = JSON.parse((await whoami(token, ["--json", "server,context"])).stdout);
  assert.deepEqual(chosen, { server: server.url, context: null });
  const unknown = await whoami(token, ["--json", "sever"]);
  assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
  assert.match(JSON.parse(unknown.stderr).error.message, /there is no field "sever": choose of server, context, user/);
});
