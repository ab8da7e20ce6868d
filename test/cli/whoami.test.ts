// `reeve whoami` with each kind of credential, as a process, against a server that is one too.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Body } from "../harness/test-app.ts";
import { createStorage } from "../harness/test-app.ts";
import { runReeve, serveReeve, stopReeve } from "./reeve-process.ts";
import type { RunningServer } from "./reeve-process.ts";

const storage = await createStorage();
let server: RunningServer;
before(async () => {
  server = await serveReeve(storage.flags);
});
after(async () => {
  await stopReeve(server);
  await storage.remove();
});

/** Without the contexts of whoever runs the tests. */
const whoami = (token: string, args: readonly string[] = []) =>
  runReeve(
    ["whoami", ...args],
    {},
    { REEVE_SERVER: server.url, REEVE_TOKEN: token, XDG_CONFIG_HOME: join(import.meta.dirname, "no-folder") },
  );

test("whoami says whose API key it is, as far as the server tells the key, and what a token allows", async () => {
  const headers = { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" };
  const post = async (path: string, body: unknown) => {
    const response = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as Body;
  };
  const { id } = await post("/v1/teams", { slug: "acme" });
  const keyOf = async (query: string, limits: object) =>
    (await post(`/v1/api-keys${query}`, { name: "ci", role: "OWNER", ...limits }))["value"] as string;
  const ofTeam = `?teamId=${id}`;
  const team = { id, slug: "acme" };
  const user = "You are +admin \\(.+@.+\\)\nCredential +an API key of an account";
  for (const [key, username, apiKey, text] of [
    [await keyOf("", {}), "admin", { owner: "user", team: null }, user],
    [await keyOf("", { names: ["X"] }), undefined, { owner: "user", team: null }, "You are +an API key of an account"],
    [await keyOf(ofTeam, {}), undefined, { owner: "team", team }, `You are +an API key of the team acme \\(${id}\\)`],
    [
      await keyOf(ofTeam, { permissions: ["secret:read"] }),
      undefined,
      { owner: "team", team: null },
      "You are +an API key of a team",
    ],
  ] as const) {
    const { stdout, stderr } = await whoami(key, ["--json"]);
    const identity = JSON.parse(stdout || stderr);
    assert.deepEqual([identity.user?.username, identity.token, identity.apiKey], [username, null, apiKey], stderr);
    assert.match((await whoami(key)).stdout, new RegExp(`\n${text}\n$`));
  }
  const limits = { name: "ci", permissions: ["secret:read"], names: ["SHOP_*"] };
  const { bearerToken } = await post("/v3/user/tokens", limits);
  const { token, apiKey } = JSON.parse((await whoami(bearerToken as string, ["--json"])).stdout);
  const allows = "It may see names of secrets, and nothing else. Of secrets and variables it knows only SHOP_*.";
  assert.deepEqual([token.allows.startsWith(allows), apiKey], [true, null]);
  assert.ok((await whoami(bearerToken as string)).stdout.includes(`\nAllows      ${allows}`));
});
