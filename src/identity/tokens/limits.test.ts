// Access tokens that are limited to networks, permissions and a project.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

const { clock, request, createUser, createTeam, readEvents } = await startTestApp();

test("a token is used from the allowed networks only, also after it was used from one of them", async () => {
  const user = await createUser();
  const body = { name: "office", allowedCidrs: ["192.0.2.0/24", "198.51.100.7"] };
  const { token, bearerToken } = (await request("POST", "/v3/user/tokens", { token: user.token, body })).body;
  assert.deepEqual(token.allowedCidrs, ["192.0.2.0/24", "198.51.100.7/32"]);
  const read = async (ip: string) => (await request("GET", "/v2/user", { token: bearerToken, ip })).status;
  for (let round = 0; round < 2; round++) {
    for (const ip of ["192.0.2.1", "198.51.100.7", "::ffff:192.0.2.2"]) assert.equal(await read(ip), 200, ip);
    for (const ip of ["192.0.3.1", "127.0.0.1", "2001:db8::1"]) assert.equal(await read(ip), 401, ip);
  }
  const made = (path: string, more: object) =>
    request("POST", path, { token: bearerToken, ip: "192.0.2.1", body: { name: "child", role: "VIEWER", ...more } });
  assert.equal((await made("/v1/api-keys", {})).body.error.field, "body.allowedCidrs");
  assert.equal((await made("/v1/api-keys", { allowedCidrs: ["192.0.2.0/24"] })).status, 200);
  const child = { name: "child", allowedCidrs: ["0.0.0.0/0"] };
  const refused = await request("POST", "/v3/user/tokens", { token: bearerToken, ip: "192.0.2.1", body: child });
  assert.deepEqual([refused.status, refused.body.error.field], [403, "body.allowedCidrs"]);
  const write = await request("DELETE", "/v3/user/tokens/current", { token: bearerToken, ip: "192.0.3.1" });
  assert.equal(write.status, 401);
});

test("a token with permissions has those of its user's role that it lists", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const scope = `?teamId=${team.id}`;
  const viewer = await createUser();
  await request("POST", `/v1/teams/${team.id}/members`, {
    token: owner.token,
    body: { uid: viewer.id, role: "VIEWER" },
  });
  await request("POST", "/v1/teams/join", { token: viewer.token, body: { teamId: team.id } });
  const make = async (token: string) => {
    const body = { name: "narrow", permissions: ["secret:write", "secret:read"] };
    return (await request("POST", "/v3/user/tokens", { token, body })).body;
  };
  const { token, bearerToken } = await make(owner.token);
  assert.deepEqual(token.permissions, ["secret:read", "secret:write"]);
  const ofViewer = (await make(viewer.token)).bearerToken;
  const create = (value: string, name: string) =>
    request("POST", `/v2/secrets${scope}`, { token: value, body: { name, value: "x" } });
  assert.equal((await create(bearerToken, "A")).status, 200);
  assert.equal((await create(ofViewer, "B")).status, 403);
  assert.equal((await request("GET", `/v2/secrets${scope}`, { token: ofViewer })).status, 200);
  assert.equal((await request("GET", `/v2/secrets/A${scope}&decrypt=true`, { token: bearerToken })).status, 403);
  assert.equal((await request("GET", `/v3/events${scope}`, { token: bearerToken })).status, 403);
});

test("a token of a project knows the project's firewall and nothing else", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const scope = `?teamId=${team.id}`;
  const expiresAt = clock.now + HOUR_MS;
  const body = { name: "shop", projectId: "shop", expiresAt };
  const { token, bearerToken } = (await request("POST", `/v3/user/tokens${scope}`, { token: owner.token, body })).body;
  assert.deepEqual([token.projectId, token.projects, token.teamId], ["shop", ["shop"], team.id]);
  assert.deepEqual(
    token.scopes.map(({ type, teamId }: { type: string; teamId: string }) => [type, teamId]),
    [["team", team.id]],
  );
  const made = (await readEvents(owner.id)).at(-1);
  const { scope: told, teamId } = made?.payload ?? {};
  assert.deepEqual([told, teamId, made?.next?.["projects"]], ["project", team.id, ["shop"]]);
  const call = async (method: string, path: string, value?: object) =>
    (await request(method, path, { token: bearerToken, ...(value && { body: value }) })).status;
  const mode = { attackModeEnabled: true };
  assert.equal(await call("POST", "/v1/attack-challenge-mode", { projectId: "shop", ...mode }), 200);
  assert.equal(await call("POST", "/v1/attack-challenge-mode", { projectId: "site", ...mode }), 404);
  assert.equal(await call("POST", "/v1/attack-challenge-mode?projectId=shop", { projectId: "site", ...mode }), 404);
  assert.equal(await call("POST", "/v1/attack-challenge-mode", mode), 404);
  assert.equal(await call("GET", "/v9/projects/shop"), 200);
  assert.equal(await call("GET", "/v9/projects/site"), 404);
  assert.equal(await call("GET", "/v2/secrets"), 403);
  assert.equal(await call("GET", "/v2/teams"), 403);
  assert.equal(await call("GET", `/v2/teams/${team.id}`), 200);
  assert.equal(await call("GET", "/v6/user/tokens"), 403);
  const projects = await request("GET", "/v9/projects?search=S", { token: bearerToken });
  await request("POST", `/v1/attack-challenge-mode${scope}`, {
    token: owner.token,
    body: { projectId: "site", ...mode },
  });
  const after = await request("GET", "/v9/projects?search=S", { token: bearerToken });
  for (const { body: page } of [projects, after]) {
    assert.deepEqual(
      page.projects.map(({ id }: { id: string }) => id),
      ["shop"],
    );
  }
});
