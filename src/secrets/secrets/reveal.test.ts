import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestResponse, Body, TestUser } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import { openVault, outcome } from "../../../test/resources/secrets.ts";
import type { Vault } from "../../../test/resources/secrets.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { ROLE_PERMISSIONS, TEAM_ROLES } from "../../platform/kernel/roles.ts";

const client = await startTestApp();
const { app, clock, request, createUser, query, readEvents } = client;

const VALUE = "planted-value";

async function revealsOf(ownerId: string) {
  return (await readEvents(ownerId)).filter(({ type }) => type === "secret-reveal");
}

async function ownVault() {
  const user = await createUser();
  return { user, vault: openVault(client, user.token) };
}

/** A team with a decryptable secret OPEN and a locked one SHUT. */
async function createSafe() {
  const owner = await createUser();
  const team = await openTeam(client, owner);
  const vault = openVault(client, owner.token, team.id);
  const { uid } = await vault.add("OPEN", { value: VALUE });
  await vault.add("SHUT", { value: VALUE, decryptable: false });
  return { owner, team, vault, uid };
}

/** What reading both secrets comes to, without and with decryption, of the newest value and of its version. */
async function readAll(vault: Vault): Promise<string[]> {
  const results: string[] = [];
  for (const name of ["OPEN", "SHUT"]) {
    for (const path of [name, `${name}/versions/1`]) {
      for (const decrypt of ["", "decrypt=false", "decrypt=true"]) {
        const response: TestResponse = await vault.read(path, decrypt);
        const shown = response.status === 200 && "value" in response.body ? response.body.value : outcome(response);
        results.push(shown);
      }
    }
  }
  return results;
}

const asOften = (text: string) => Array.from({ length: 12 }, () => text);
const SHOWN = ["ok", "ok", VALUE, "ok", "ok", VALUE, ...asOften("ok").slice(6)];
const NEVER = ["ok", "ok", "forbidden", "ok", "ok", "forbidden"];

/** What a role comes to, by the table of permissions. */
function expectedOf(role: (typeof TEAM_ROLES)[number]): string[] {
  const may = ROLE_PERMISSIONS[role];
  if (!may.includes("secret:read")) return asOften("forbidden");
  return may.includes("secret:reveal") ? SHOWN : [...NEVER, ...NEVER];
}

test("the account's own secrets are revealed to it", async () => {
  const { user, vault } = await ownVault();
  await vault.add("OPEN", { value: VALUE });
  await vault.add("SHUT", { value: VALUE, decryptable: false });
  assert.deepEqual(await readAll(vault), SHOWN);
  assert.equal((await revealsOf(user.id)).length, 2);
});

test("HEAD returns no value, so it decrypts none and records nothing", async () => {
  const { user, vault } = await ownVault();
  await vault.add("OPEN", { value: VALUE });
  for (const path of ["/OPEN", "/OPEN/versions/1"]) {
    const refused = await vault.call("HEAD", path, { query: "decrypt=true" });
    assert.deepEqual([refused.status, refused.headers["allow"]], [405, "GET"]);
    assert.equal((await vault.call("HEAD", path)).status, 200);
  }
  assert.deepEqual(await revealsOf(user.id), []);
});

test("the table of roles decides who reads and who reveals, for members and keys", async () => {
  assert.deepEqual(
    TEAM_ROLES.filter((role) => expectedOf(role) === SHOWN),
    ["OWNER", "MEMBER", "DEVELOPER"],
  );
  const { owner, team } = await createSafe();
  let reveals = 0;
  for (const role of TEAM_ROLES) {
    const member = await createUser();
    await team.add(member, role);
    const key = (await createKey(client, owner.token, `?teamId=${team.id}`, { role })).body.value;
    const ownersKey = (await createKey(client, owner.token, "", { role })).body.value;
    for (const token of [member.token, key, ownersKey]) {
      assert.deepEqual(await readAll(openVault(client, token, team.id)), expectedOf(role), role);
      if (expectedOf(role) === SHOWN) reveals += 2;
      assert.equal((await revealsOf(team.id)).length, reveals, role);
    }
  }
});

test("users outside the team learn nothing, and an administrator may do what an OWNER may", async () => {
  const { team } = await createSafe();
  const outsider = openVault(client, (await createUser()).token, team.id);
  assert.deepEqual(await readAll(outsider), asOften("not_found"));
  assert.deepEqual(await revealsOf(team.id), []);
  assert.deepEqual(await readAll(openVault(client, client.admin.token, team.id)), SHOWN);
});

async function createLimitedToken(user: TestUser, teamId: string): Promise<{ id: string; value: string }> {
  const order = { userId: user.id, name: "limited", teamId };
  return await app.runner.changes.issueToken(order, clock.now);
}

test("a token of one team reveals the team's secrets, and not those of its account", async () => {
  const { owner, team } = await createSafe();
  const { value } = await createLimitedToken(owner, team.id);
  assert.deepEqual(await readAll(openVault(client, value, team.id)), SHOWN);
  assert.deepEqual(await readAll(openVault(client, value)), SHOWN, "the token's team when none is named");
  const other = await client.createTeam(owner);
  const own = openVault(client, owner.token, other.id);
  await own.add("OPEN");
  assert.notEqual(outcome(await openVault(client, value, other.id).reveal("OPEN")), "ok");
});

test("each reveal emits one event with actor, address and credential, and never the value", async () => {
  const { owner, team, uid } = await createSafe();
  const key = (await createKey(client, owner.token, `?teamId=${team.id}`)).body;
  const headers = { "user-agent": "agent/1" };
  const ip = "203.0.113.9";
  const url = (path: string) => `/v3/secrets/${path}?decrypt=true&teamId=${team.id}`;
  await request("GET", url("open"), { token: owner.token, headers, ip });
  await request("GET", `/v2/secrets/OPEN/versions/1?decrypt=true&teamId=${team.id}`, { token: key.value, headers, ip });
  const columns = "type, principal_id, user_id, credential_id, ip, user_agent, via, entity_id, payload";
  const rows = await query(
    `select ${columns} from events where owner_id = '${team.id}' and type = 'secret-reveal' order by sequence`,
  );
  const { token } = (await request("GET", "/v5/user/tokens/current", { token: owner.token })).body;
  const shared = { type: "secret-reveal", ip, user_agent: "agent/1", via: "http", entity_id: uid };
  const payload = { name: "OPEN", uid, version: 1 };
  assert.deepEqual(
    rows.map((row) => ({ ...row, payload: JSON.parse(String(row["payload"])) })),
    [
      { ...shared, principal_id: owner.id, user_id: owner.id, credential_id: token.id, payload },
      { ...shared, principal_id: key.apiKey.id, user_id: null, credential_id: key.apiKey.id, payload },
    ],
  );
  const feed = await request("GET", `/v3/events?teamId=${team.id}&withPayload=true&limit=50`, { token: owner.token });
  const [newest] = feed.body.events;
  assert.deepEqual([newest.type, newest.tokenId, newest.ip], ["secret-reveal", key.apiKey.id, ip]);
  assert.equal(newest.text, "API key deploy revealed secret OPEN");
  for (const row of await query("select * from events")) assert.doesNotMatch(JSON.stringify(row), new RegExp(VALUE));
});

test("no cache may store a revealed value", async () => {
  const { vault } = await ownVault();
  await vault.add("fleeting");
  const { headers } = await vault.reveal("fleeting");
  assert.match(headers["cache-control"] ?? "", /no-store/);
});

test("an expired secret is not revealed, and nothing is recorded", async () => {
  const { user, vault } = await ownVault();
  const expiresAt = clock.now + DAY_MS;
  await vault.add("ending", { value: VALUE, expiresAt });
  clock.advance(DAY_MS - 1);
  assert.equal((await vault.reveal("ending")).body.value, VALUE);
  clock.advance(1);
  const refusals = [await vault.reveal("ending"), await vault.read("ending/versions/1", "decrypt=true")];
  for (const { status, body } of refusals) {
    assert.deepEqual([status, body.error.code, body.error.expiresAt], [410, "secret_expired", expiresAt]);
  }
  assert.equal((await vault.read("ending")).body.expiresAt, expiresAt);
  assert.equal((await revealsOf(user.id)).length, 1);
  await vault.change("ending", { expiresAt: null });
  assert.equal((await vault.reveal("ending")).body.value, VALUE);
});

test("a value that cannot be read back is refused with the reason, only to callers who ask for it", async () => {
  const { vault } = await ownVault();
  // Without `decryptable`, as most clients send it.
  assert.equal((await vault.call("POST", "", { body: { name: "shut", value: VALUE } })).status, 200);
  await vault.add("open", { value: VALUE });
  for (const path of ["shut", "shut/versions/1"]) {
    const { status, body } = await vault.read(path, "decrypt=true");
    assert.deepEqual([status, body.readable, "value" in body], [200, false, false], path);
    assert.match(body.message, /can't be read back.*decryptable/);
    const unasked = (await vault.read(path)).body;
    assert.deepEqual(["readable" in unasked, "message" in unasked], [false, false], path);
  }
  for (const path of ["open", "open/versions/1"]) {
    const { body } = await vault.read(path, "decrypt=true");
    assert.deepEqual([body.readable, body.value, "message" in body], [true, VALUE, false], path);
  }
});

test("a secret becomes sensitive for good, with all its versions, and never decryptable again", async () => {
  const { user, vault } = await ownVault();
  await vault.add("door", { value: VALUE });
  assert.equal((await vault.change("door", { decryptable: true })).body.decryptable, true);
  assert.equal((await vault.change("door", { decryptable: false })).body.decryptable, false);
  await vault.put("door", { value: "second" });
  for (const path of ["door", "door/versions/1", "door/versions/2"]) {
    const { status, body } = await vault.read(path, "decrypt=true");
    assert.deepEqual([status, "value" in body], [200, false], path);
  }
  const unlocked = await vault.change("door", { decryptable: true, name: "gate", description: "x" });
  assert.deepEqual([unlocked.status, outcome(unlocked)], [409, "secret_not_decryptable"]);
  const { body } = await vault.read("door");
  assert.deepEqual([body.name, body.description, body.decryptable], ["door", null, false]);
  assert.deepEqual(await revealsOf(user.id), []);
  const versions: Body = (await vault.call("GET", "/door/versions")).body;
  assert.equal(versions.versions.length, 2);
});
