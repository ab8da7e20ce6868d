// A cached response is not sent after a change of anything it depends on: the store, the caller, the client or the time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../kernel/scheduling/clock.ts";
import { startOwnApp, uniqueName } from "../../../../test/harness/test-app.ts";
import { openTeam } from "../../../../test/resources/teams.ts";

const api = await startOwnApp();
const { request, createUser, createTeam, query, clock } = api;

test("the next response shows what another process wrote", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const read = async () => (await request("GET", `/v2/teams/${team.id}`, { token: owner.token })).body;
  const before = await read();
  assert.deepEqual(await read(), before);
  await query(`update teams set name = 'Renamed elsewhere' where id = '${team.id}'`);
  assert.deepEqual(await read(), { ...before, name: "Renamed elsewhere" });
});

test("a page and its links show a change as soon as the change has its response", async () => {
  const { token } = await createUser();
  const read = () => request("GET", "/v2/secrets?limit=1", { token });
  const names: string[] = [];
  for (const name of ["first", "second", "third"]) {
    await request("POST", "/v2/secrets", { token, body: { name, value: "1" } });
    const [response, again] = [await read(), await read()];
    names.push(response.body.secrets[0].name);
    assert.deepEqual([again.text, again.headers["link"]], [response.text, response.headers["link"]]);
  }
  assert.deepEqual(names, ["first", "second", "third"]);
});

test("equal requests of different callers show each caller what it may see", async () => {
  const team = await openTeam(api, await createUser());
  const viewer = await createUser();
  await team.add(viewer, "VIEWER");
  const codes: unknown[] = [];
  for (const { token } of [team.owner, viewer, team.owner, viewer]) {
    codes.push(typeof (await request("GET", `/v2/teams/${team.id}`, { token })).body.inviteCode);
  }
  assert.deepEqual(codes, ["string", "undefined", "string", "undefined"]);
});

test("a credential that another process revoked is refused although its last response is cached", async () => {
  const { id, token } = await createUser();
  const status = async () => (await request("GET", "/v2/user", { token })).status;
  assert.deepEqual([await status(), await status()], [200, 200]);
  await query(`delete from access_tokens where user_id = '${id}'`);
  assert.equal(await status(), 401);
});

test("a response changes at an expiry time to the millisecond, without a write", async () => {
  const team = await openTeam(api, await createUser());
  const { token } = team.owner;
  const ok = async (method: string, path: string, body?: unknown) => {
    const response = await request(method, `${path}?teamId=${team.id}`, { token, body });
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  const start = clock.now;
  await team.invite({ email: `${uniqueName("guest")}@example.com`, role: "VIEWER" });
  const { apiKey } = await ok("POST", "/v1/api-keys", { name: "ci", role: "VIEWER" });
  await ok("POST", `/v1/api-keys/${apiKey.id}/rotate`, { overlapMs: DAY_MS });
  const webhook = await ok("POST", "/v1/webhooks", { url: "https://example.com", events: ["*"] });
  await ok("POST", `/v1/webhooks/${webhook.id}/rotate-secret`, { overlapMs: DAY_MS });
  const read = async () => [
    (await ok("GET", `/v2/teams/${team.id}/members`)).emailInviteCodes[0].expired,
    (await ok("GET", "/v1/api-keys")).apiKeys[0].previousExpiresAt,
    (await ok("GET", "/v1/webhooks"))[0].previousSecretExpiresAt,
    (await ok("GET", `/v1/webhooks/${webhook.id}`)).previousSecretExpiresAt,
  ];
  const readTwice = async () => {
    const seen = await read();
    assert.deepEqual(await read(), seen);
    return seen;
  };
  const end = start + DAY_MS;
  clock.now = end - 1;
  assert.deepEqual(await readTwice(), [undefined, end, end, end]);
  clock.now = end;
  assert.deepEqual(await readTwice(), [undefined, null, null, null]);
  clock.now = start + 7 * DAY_MS;
  assert.deepEqual(await read(), [true, null, null, null]);
});
