// An instance where passwords are switched off: nothing is done with one, no form asks for one, and nobody is locked out by it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp, uniqueName } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import { openSession } from "./open-session.ts";
import { createVisitor } from "./visitor.ts";
import type { Visitor } from "./visitor.ts";

const PASSWORD = "correct horse battery staple";
const REFUSED = "Passwords are switched off on this server (REEVE_PASSWORDS): use a passkey";
const api = await startOwnApp({ passwords: "off", publicUrl: "http://localhost:4000" });
const { app, clock, createUser, createTeam, query, request } = api;

async function linkOf({ id }: TestUser): Promise<string> {
  const link = await app.runner.changes.createSignInLink({ name: id }, clock.now);
  assert.ok(link);
  return link.code;
}

/** Plants what was there before passwords were switched off. */
async function plantPassword({ id }: TestUser): Promise<void> {
  await query(`insert into passwords (user_id, hash, changed_at) values ('${id}', 'none', ${clock.now})`);
}

async function plantPasskey({ id }: TestUser): Promise<string> {
  const passkey = uniqueName("passkey");
  await query(
    `insert into passkeys (id, user_id, credential_id, rp_id, public_key, counter, transports, name, created_at, position)
      values ('${passkey}', '${id}', '${passkey}', 'localhost', '', 0, '[]', 'Laptop', ${clock.now}, 1)`,
  );
  return passkey;
}

/** A browser in which somebody is signed in. */
async function signIn(user: TestUser): Promise<Visitor> {
  const visitor = createVisitor(app);
  visitor.cookies.set("reeve", (await openSession(api, user)).session);
  return visitor;
}

test("no form asks for a password, and each has a passkey instead", async () => {
  const [owner, fresh, recovering] = [await createUser(), await createUser(), await createUser()];
  const team = await createTeam(owner);
  const invited = await request("POST", `/v1/teams/${team.id}/members`, {
    token: owner.token,
    body: { email: `${uniqueName("guest")}@example.com` },
  });
  await plantPassword(recovering);
  const own = await signIn(owner);
  const stranger = createVisitor(app);
  for (const [visitor, path] of [
    [stranger, "sign-in"],
    [stranger, `set-up?code=${await linkOf(fresh)}`],
    [stranger, `recover?code=${await linkOf(recovering)}`],
    [stranger, `invitation?code=${invited.body.code}`],
    [own, "prove"],
    [own, "account"],
  ] as const) {
    const { status, html } = await visitor.get(path);
    assert.equal(status, 200, path);
    assert.equal(html.includes('name="password"'), false, path);
    assert.match(html, /data-passkey="(?:new|proof)"/, path);
  }
});

test("forms that are sent with a password are refused, and change nothing", async () => {
  const user = await createUser();
  const code = await linkOf(user);
  const own = await signIn(await createUser());
  for (const [visitor, path, form] of [
    [createVisitor(app), "sign-in", { login: user.username, password: PASSWORD }],
    [createVisitor(app), `set-up?code=${code}`, { name: "Ada", email: user.email, password: PASSWORD }],
    [own, "prove", { password: PASSWORD }],
    [own, "account", { action: "set-password", password: PASSWORD }],
  ] as const) {
    const { status, problem } = await visitor.post(path, form);
    assert.deepEqual([status, problem], [403, REFUSED], path);
  }
  assert.deepEqual(await query(`select * from passwords where user_id = '${user.id}'`), []);
  assert.equal((await createVisitor(app).get(`set-up?code=${code}`)).status, 200, "the link was not used");
});

test("the API refuses a password by its code", async () => {
  const user = await createUser();
  const { session } = await openSession(api, user);
  const refused = await request("PUT", "/v1/user/password", { session, body: { password: PASSWORD } });
  assert.deepEqual(
    [refused.status, refused.body.error.code, refused.body.error.message],
    [403, "passwords_off", REFUSED],
  );
});

test("links and recovery codes go on signing in, and a passkey is not removed while only a password is left", async () => {
  const user = await createUser();
  await plantPassword(user);
  const passkeyId = await plantPasskey(user);
  const own = createVisitor(app);
  const done = await own.post(`recover?code=${await linkOf(user)}`, {});
  assert.equal(done.status, 303, done.problem ?? "");
  const made = await own.post("account", { action: "new-codes" });
  const [code = ""] = /<pre[^>]*>([^<]*)<\/pre>/.exec(made.html)?.[1]?.split("\n") ?? [];
  const recovered = await createVisitor(app).post("recover", { login: user.username, code });
  assert.deepEqual([recovered.status, recovered.location], [303, "account"]);
  const kept = await own.post("account", { action: "delete-passkey", id: passkeyId });
  assert.deepEqual(
    [kept.status, kept.problem],
    [409, "This is the last way to sign in to this account: add another one first"],
  );
  assert.match((await own.get("account")).html, /Passwords are switched off here: it signs nobody in/);
  assert.equal((await own.post("account", { action: "delete-password" })).status, 303);
});
