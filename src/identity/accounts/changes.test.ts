// Changes of accounts: what each leaves as it is, what its event says, and what follows from it elsewhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey, createTeamKey, readKeys } from "../../../test/resources/api-keys.ts";
import { startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { TestUser } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import { createVisitor } from "../../../test/sign-in/visitor.ts";
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

const api = await startOwnApp();
const { app, admin, clock, createTeam, createUser, query, readEvents, request } = api;

const change = ({ id }: Pick<TestUser, "id">, body: object, token = admin.token) =>
  request("PATCH", `/v1/users/${id}`, { token, body });

async function lastEvent({ id }: TestUser) {
  const { type, text, payload, previous, next } = (await readEvents(id)).at(-1) ?? {};
  return { type, text, payload, previous, next };
}

async function isConfirmed({ id }: TestUser): Promise<boolean> {
  const [row] = await query(`select email_confirmed_at from users where id = '${id}'`);
  return row?.["email_confirmed_at"] !== null;
}

const unconfirm = ({ id }: TestUser) => query(`update users set email_confirmed_at = null where id = '${id}'`);

test("the current user is described in full, and to a limited token in part", async () => {
  const user = await createUser();
  const { id, email, username } = user;
  const known = { id, email, username, name: null, avatar: null, defaultTeamId: null, version: null };
  const others = {
    createdAt: clock.now,
    billing: null,
    softBlock: null,
    hasTrialAvailable: false,
    stagingPrefix: username,
    resourceConfig: {},
    isAdmin: false,
  };
  const read = async (token: string) => (await request("GET", "/v2/user", { token })).body.user;
  assert.deepEqual(await read(user.token), { ...known, ...others });
  const team = await createTeam(user);
  const make = async (scope: string, limits: object) => {
    const made = await request("POST", `/v3/user/tokens${scope}`, {
      token: user.token,
      body: { name: "limited", ...limits },
    });
    assert.equal(made.status, 200, made.text);
    return made.body.bearerToken as string;
  };
  for (const token of [await make(`?teamId=${team.id}`, {}), await make("", { permissions: ["team:read"] })])
    assert.deepEqual(await read(token), { ...known, limited: true });
});

test("the creation of an account is an event of the account", async () => {
  const [username, email] = [uniqueName("made"), `${uniqueName("made")}@example.com`];
  const { body } = await request("POST", "/v1/users", { body: { username, email } });
  const [event] = await readEvents(body.user.id);
  assert.deepEqual([event?.type, event?.principalId], ["user-created", admin.id]);
  assert.deepEqual(event?.payload, { username, email, uid: body.user.id });
  assert.deepEqual(event?.next, { username, email, name: null, isAdmin: false });
});

test("a change of who administers, and a suspension, are events with what was and what is", async () => {
  const user = await createUser();
  const { id: uid, username } = user;
  for (const isAdmin of [true, false]) {
    await change(user, { admin: isAdmin });
    assert.deepEqual(await lastEvent(user), {
      type: "user-updated",
      text: `admin changed isAdmin of account ${username}`,
      payload: { uid, username, isAdmin },
      previous: { isAdmin: !isAdmin },
      next: { isAdmin },
    });
  }
  const at = clock.now;
  await change(user, { suspended: true });
  const suspended = { type: "user-suspended", text: `admin suspended account ${username}` };
  const [active, ended] = [{ suspendedAt: null }, { suspendedAt: at }];
  assert.deepEqual(await lastEvent(user), { ...suspended, payload: { uid, username }, previous: active, next: ended });
  clock.advance(HOUR_MS);
  const again = await change(user, { suspended: true, name: "Late" });
  assert.equal(again.body.user.suspendedAt, at, "since when it is suspended");
  await change(user, { suspended: false });
  const resumed = { type: "user-resumed", text: `admin resumed account ${username}` };
  assert.deepEqual(await lastEvent(user), { ...resumed, payload: { uid, username }, previous: ended, next: active });
});

test("the only administrator changes what leaves them one", async () => {
  await query(`update users set is_admin = 0 where id <> '${admin.id}'`);
  for (const body of [{ name: "Ada" }, { admin: true }, { suspended: false }])
    assert.equal((await change(admin, body)).status, 200, JSON.stringify(body));
  const refused = await change(admin, { admin: false });
  assert.deepEqual([refused.status, refused.body.error.code], [409, "last_administrator"]);
});

test("a changed account is read as it is, and found by its new name, its new username and its new address", async () => {
  for (const field of ["name", "username", "email"]) {
    const [user, word] = [await createUser(), uniqueName("found")];
    const changed = await change(user, { [field]: field === "email" ? `${word}@example.com` : word });
    assert.equal(changed.status, 200);
    assert.deepEqual((await request("GET", `/v1/users/${user.id}`)).body, changed.body);
    const { users } = (await request("GET", `/v1/users?search=${word}`)).body;
    assert.deepEqual(
      users.map(({ id }: TestUser) => id),
      [user.id],
      field,
    );
  }
});

test("keys and links go on after a change that takes nothing from the account", async () => {
  const user = await createUser();
  const { value } = await createTeamKey(api, user);
  const link = await app.runner.changes.createSignInLink({ name: user.id }, clock.now);
  for (const body of [{ name: "Ada" }, { admin: true }, { suspended: false }]) {
    assert.equal((await change(user, body)).status, 200);
    assert.equal((await readKeys(api, value)).status, 200, JSON.stringify(body));
    const page = await createVisitor(app).get(`set-up?code=${link?.code}`);
    assert.equal(page.status, 200, JSON.stringify(body));
  }
});

test("a change that takes nothing from somebody ends no replaced value of others' keys", async () => {
  const [owner, viewer] = [await createUser(), await createUser()];
  const team = await openTeam(api, owner);
  await team.add(viewer, "VIEWER");
  const scope = `?teamId=${team.id}`;
  await createKey(api, viewer.token, scope, { role: "VIEWER" });
  const { apiKey, value } = (await createKey(api, owner.token, scope)).body;
  const rotated = await request("POST", `/v1/api-keys/${apiKey.id}/rotate${scope}`, {
    token: owner.token,
    body: { overlapMs: HOUR_MS },
  });
  assert.equal(rotated.status, 200, rotated.text);
  for (const body of [{ name: "Ada" }, { admin: true }, { suspended: false }]) {
    assert.equal((await change(viewer, body)).status, 200);
    assert.equal((await readKeys(api, value)).status, 200, JSON.stringify(body));
  }
});

test("keys end with a suspension, and do not come back with its end", async () => {
  const user = await createUser();
  const { value } = await createTeamKey(api, user);
  for (const suspended of [true, false]) {
    assert.equal((await change(user, { suspended })).status, 200);
    assert.equal((await readKeys(api, value)).status, 401, String(suspended));
  }
});

test("keys of other people's teams end when their maker stops administering", async () => {
  const maker = await createUser();
  await change(maker, { admin: true });
  const team = await createTeam(await createUser());
  const { value } = (await createKey(api, maker.token, `?teamId=${team.id}`)).body;
  assert.equal((await readKeys(api, value)).status, 200);
  await change(maker, { admin: false });
  assert.equal((await readKeys(api, value)).status, 401);
});

test("an address that nobody has confirmed stays so when something else changes", async () => {
  const user = await createUser();
  await unconfirm(user);
  assert.equal((await change(user, { name: "Ada" })).status, 200);
  assert.equal(await isConfirmed(user), false);
  assert.equal((await lastEvent(user)).type, "user-updated");
  assert.equal((await change(user, { email: `${uniqueName("new")}@example.com` })).status, 200);
  assert.equal(await isConfirmed(user), true, "an administrator answers for it");
});

test("an administrator gives an address in one form, and takes none from an account", async () => {
  const [user, other] = [await createUser(), await createUser()];
  const word = uniqueName("ada");
  const changed = await change(user, { email: `${word}@MÜNCHEN.example` });
  assert.equal(changed.body.user.email, `${word}@xn--mnchen-3ya.example`);
  await unconfirm(user);
  const taken = await change(other, { email: changed.body.user.email });
  assert.deepEqual([taken.status, taken.body.error.code], [409, "email_taken"]);
});

test("a credential that ends lets nobody into an account, and goes on renaming and suspending", async () => {
  const [user, token] = [await createUser(), { name: "ends", expiresAt: clock.now + HOUR_MS }];
  const { bearerToken } = (await request("POST", "/v3/user/tokens", { body: token })).body;
  const body = { username: uniqueName("made"), email: `${uniqueName("made")}@example.com` };
  const refused = [await request("POST", "/v1/users", { token: bearerToken, body })];
  for (const given of [{ email: body.email }, { admin: true }, { suspended: false }])
    refused.push(await change(user, given, bearerToken));
  for (const { status, text } of refused) assert.deepEqual([status, /expires at/.test(text)], [403, true], text);
  for (const taken of [{ name: "Ada" }, { admin: false }, { suspended: true }])
    assert.equal((await change(user, taken, bearerToken)).status, 200, JSON.stringify(taken));
});
