// Sign-in changes accounts outside of requests: each takes the account's lock, and decides by what it reads under that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hashCredential } from "../../src/platform/kernel/credential.ts";
import { changeBehindLock } from "../harness/held-owners.ts";
import { send, startOwnApp } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import { openTeam } from "../resources/teams.ts";
import { openSession } from "../sign-in/open-session.ts";
import { ORIGIN, newIdentity, signInWithIdentity } from "../sign-in/sign-in-with-identity.ts";

const api = await startOwnApp();
const { app, clock, createUser, query, readEvents, request } = api;
const { changes } = app.runner;

const hashes = { sessionHash: "session", deviceHash: "device" };
const passwordOf = (id: string) => `insert into passwords (user_id, hash, changed_at) values ('${id}', 'h', 1)`;
const makeAdministrator = (id: string) => query(`update users set is_admin = 1 where id = '${id}'`);

test("an administrator who has got a way to sign in meanwhile is given no link to set the account up", async () => {
  const started = await changeBehindLock(api, {
    owner: api.admin.id,
    change: () => changes.bootstrapInstance(null, clock.now),
    meanwhile: [passwordOf(api.admin.id)],
  });
  assert.equal(started.setUp, null);
});

test("a link for an account that has got a password meanwhile signs in, and sets nothing up", async () => {
  const { id } = await createUser();
  const link = await changeBehindLock(api, {
    owner: id,
    change: () => changes.createSignInLink({ name: id }, clock.now),
    meanwhile: [passwordOf(id)],
  });
  assert.equal(link?.purpose, "sign-in");
});

test("a recovery code that was replaced meanwhile signs nobody in", async () => {
  const { id: userId } = await createUser();
  const code = "abcdefghjkmnpqrs";
  await query(`insert into recovery_codes (user_id, hash) values ('${userId}', '${hashCredential(code)}')`);
  const isSignedIn = await changeBehindLock(api, {
    owner: userId,
    change: () =>
      changes.signInWithRecoveryCode({ userId, code, ...hashes, subjects: ["login:one"], origin: ORIGIN }, clock.now),
    meanwhile: [`delete from recovery_codes where user_id = '${userId}'`],
  });
  assert.equal(isSignedIn, false);
});

test("a link that confirmed an address meanwhile confirms nothing again", async () => {
  const { id: userId, email } = await createUser();
  const code = "newAddress";
  const change = JSON.stringify({ email: `new-${email}`, previous: email, isOtherConfirmed: true });
  await query(`insert into one_time_codes (hash, purpose, user_id, data, expires_at)
    values ('${hashCredential(code)}', 'email-new', '${userId}', '${change}', ${clock.now + 1})`);
  const confirmed = changeBehindLock(api, {
    owner: userId,
    change: () => changes.confirmEmail({ code, origin: ORIGIN }, clock.now),
    meanwhile: [`delete from one_time_codes where user_id = '${userId}'`],
  });
  await assert.rejects(confirmed, { code: "link_unknown" });
});

test("failures at the same time are all counted", async () => {
  const { id: userId } = await createUser();
  const order = { failed: { userId, method: "password" }, subjects: ["login:two"], origin: ORIGIN } as const;
  const fail = () => changes.recordSignInFailure(order, clock.now);
  await fail();
  await changeBehindLock(api, {
    owner: userId,
    change: fail,
    meanwhile: ["update sign_in_failures set failures = failures + 1 where subject = 'login:two'"],
  });
  const [counted] = await query("select failures from sign_in_failures where subject = 'login:two'");
  assert.equal(Number(counted?.["failures"]), 3);
});

test("an address that its owner has confirmed meanwhile is not given to a newcomer", async () => {
  const holder = await createUser();
  await query(`update users set email_confirmed_at = null where id = '${holder.id}'`);
  const { result } = await changeBehindLock(api, {
    owner: holder.id,
    change: () => signInWithIdentity(api, newIdentity({ email: holder.email }), { isNewcomer: true }),
    meanwhile: [`update users set email_confirmed_at = 1 where id = '${holder.id}'`],
  });
  assert.deepEqual(result, { outcome: "link-required", isConfirmed: true, canSignUp: true });
});

test("a change of an account made meanwhile is not undone by its new address", async () => {
  const person = await createUser();
  await makeAdministrator(person.id);
  const { session } = await openSession(api, person);
  const email = `new-${person.email}`;
  const { status, text } = await changeBehindLock(api, {
    owner: person.id,
    change: () => request("POST", "/v1/user/email", { session, body: { email } }),
    meanwhile: [`update users set name = 'Early', revision = revision + 1 where id = '${person.id}'`],
  });
  assert.equal(status, 200, text);
  const { user } = (await request("GET", "/v2/user", { token: person.token })).body;
  assert.deepEqual([user.name, user.email], ["Early", email]);
});

test("a sign-in that takes administration away locks the instance before the account", async () => {
  const identity = newIdentity();
  const { result } = await signInWithIdentity(api, identity);
  assert.ok(result.outcome === "signed-in");
  const { userId } = result;
  await makeAdministrator(userId);
  // What holds the instance's lock may take the account's: in another order, both would wait for ever.
  await changeBehindLock(api, {
    owner: "instance",
    change: () => signInWithIdentity(api, identity, { roles: { isAdministrator: false, teams: [] } }),
    meanwhile: [`select 1 from owners where id = '${userId}' for update`],
  });
  assert.equal((await request("GET", `/v1/users/${userId}`)).body.user.isAdmin, false);
});

test("a sign-in takes no role from who has become a team's last OWNER meanwhile", async () => {
  const team = await openTeam(api, await createUser());
  const identity = newIdentity();
  const rolesOf = (role: "OWNER" | null) => ({ isAdministrator: null, teams: [{ team: team.id, role }] });
  const { result } = await signInWithIdentity(api, identity, { roles: rolesOf("OWNER") });
  assert.ok(result.outcome === "signed-in");
  await changeBehindLock(api, {
    owner: team.id,
    change: () => signInWithIdentity(api, identity, { roles: rolesOf(null) }),
    meanwhile: [`delete from memberships where team_id = '${team.id}' and user_id = '${team.owner.id}'`],
  });
  const owners = await query(`select user_id, role from memberships where team_id = '${team.id}'`);
  assert.deepEqual(owners, [{ user_id: result.userId, role: "OWNER" }]);
  const signedIn = (await readEvents(result.userId)).findLast(({ type }) => type === "sso-login");
  assert.equal(signedIn?.payload.skipped.length, 1);
});

test("a sign-in that takes no administration away does not wait for the instance", async () => {
  const identity = newIdentity();
  const { result } = await signInWithIdentity(api, identity);
  assert.ok(result.outcome === "signed-in");
  const of = `where user_id = '${result.userId}'`;
  for (const isAdministrator of [false, null]) {
    // The sign-in notes its use: what is written while the lock is held comes after a sign-in that does not wait for it.
    await changeBehindLock(api, {
      owner: "instance",
      change: () => signInWithIdentity(api, identity, { roles: { isAdministrator, teams: [] } }),
      meanwhile: [`update identities set used_at = 1 ${of}`],
    });
    assert.equal(Number((await query(`select used_at from identities ${of}`))[0]?.["used_at"]), 1);
    await makeAdministrator(result.userId);
  }
});

test("a connection that was removed meanwhile signs nobody in", async () => {
  const identity = newIdentity();
  const { result } = await signInWithIdentity(api, identity);
  assert.ok(result.outcome === "signed-in");
  const { userId } = result;
  const late = changeBehindLock(api, {
    owner: userId,
    change: () => signInWithIdentity(api, identity),
    meanwhile: [`delete from identities where user_id = '${userId}'`],
  });
  await assert.rejects(late, { code: "sign_in_failed" });
});

/** Somebody who links an identity with an address that they and an earlier account have typed in, while that one is locked. */
async function proveBehind(meanwhile: (person: TestUser, holder: TestUser) => string) {
  const [person, holder] = [await createUser(), await createUser()];
  await query(`update users set email_confirmed_at = null where id = '${holder.id}'`);
  const typed = `email = '${holder.email}', email_key = '${person.id}', email_confirmed_at = null`;
  await query(
    `update users set ${typed}, default_team_id = '${(await api.createTeam(person)).id}' where id = '${person.id}'`,
  );
  const method = newIdentity({ email: holder.email });
  await changeBehindLock(api, {
    owner: holder.id,
    change: () => changes.addSignInMethod({ userId: person.id, method, sessionId: null, origin: ORIGIN }, clock.now),
    meanwhile: [meanwhile(person, holder)],
  });
  const keyOf = async ({ id }: TestUser) => (await query(`select * from users where id = '${id}'`))[0] ?? {};
  const row = await keyOf(person);
  assert.deepEqual([row["email_key"], row["email_confirmed_at"] === null], [holder.email, false]);
  return { person: row, holder: await keyOf(holder), events: await readEvents(holder.id) };
}

test("an account that has given an address up meanwhile keeps its new one", async () => {
  const { holder, events } = await proveBehind(
    (_, { id }) => `update users set email = 'new@example.com', email_key = 'new@example.com' where id = '${id}'`,
  );
  assert.equal(holder["email_key"], "new@example.com");
  assert.ok(events.every(({ type }) => type !== "email"));
});

test("a default team that the account has left meanwhile does not come back with another change", async () => {
  const { person } = await proveBehind(({ id }) => `update users set default_team_id = null where id = '${id}'`);
  assert.equal(person["default_team_id"], null);
});

test("an account that is deleted meanwhile has no address to change", async () => {
  const mailing = await api.startAnother({ smtpUrl: "smtp://127.0.0.1:1", publicUrl: "http://localhost:4000" });
  for (const server of [app, mailing]) {
    const person = await createUser();
    await makeAdministrator(person.id);
    const { session } = await openSession(api, person);
    const { status } = await changeBehindLock(api, {
      owner: person.id,
      change: () => send(server, "POST", "/v1/user/email", { session, body: { email: `new-${person.email}` } }),
      meanwhile: [`insert into removals (owner_id, begun_at, removed) values ('${person.id}', 0, 0)`],
    });
    assert.equal(status, 404);
    await query(`delete from removals where owner_id = '${person.id}'`);
  }
});
