// What the API refuses of ways to sign in, and of addresses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { TestApp, TestUser } from "../../../test/harness/test-app.ts";
import { startMailServer } from "../../../test/mail/mail-server.ts";
import { newPasskey } from "../../../test/sign-in/new-passkey.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";
import { ORIGIN } from "../../../test/sign-in/sign-in-with-identity.ts";

const api = await startOwnApp();
const { app, clock, createUser, query, readEvents, request } = api;
const { changes } = app.runner;
const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

/** Sends requests with a new session of a user. */
async function browserOf(world: TestApp, user: TestUser) {
  const { session } = await openSession(world, user);
  return async (method: string, path: string, body?: object) => {
    const response = await world.request(method, path, { session, headers: SAME_ORIGIN, ...(body ? { body } : {}) });
    return { ...response, code: response.body?.error?.code as string | undefined };
  };
}

test("the last way to sign in is removed by nobody, whichever it is", async () => {
  const withPassword = await browserOf(api, await createUser());
  assert.equal((await withPassword("PUT", "/v1/user/password", { password: "six hard words to guess" })).status, 200);
  const password = await withPassword("DELETE", "/v1/user/password");
  assert.deepEqual([password.status, password.code], [409, "last_sign_in_method"]);

  const user = await createUser();
  const withPasskey = await browserOf(api, user);
  const method = await newPasskey(api, user.id);
  await changes.addSignInMethod({ userId: user.id, method, sessionId: null, origin: ORIGIN }, clock.now);
  const { passkeys } = (await withPasskey("GET", "/v1/user/passkeys")).body;
  const passkey = await withPasskey("DELETE", `/v1/user/passkeys/${passkeys[0].id}`);
  assert.deepEqual([passkey.status, passkey.code], [409, "last_sign_in_method"]);
  assert.equal((await withPasskey("GET", "/v1/user/passkeys")).body.passkeys.length, 1);
  // A password is another way, so the passkey may go.
  await withPasskey("PUT", "/v1/user/password", { password: "six hard words to guess" });
  assert.equal((await withPasskey("DELETE", `/v1/user/passkeys/${passkeys[0].id}`)).status, 200);
});

test("each start makes a link to set up the administrator, until somebody who administers can sign in", async () => {
  assert.notEqual((await changes.bootstrapInstance(null, clock.now)).setUp, null);
  await query(`insert into passwords (user_id, hash, changed_at) values ('${api.admin.id}', 'h', ${clock.now})`);
  assert.equal((await changes.bootstrapInstance(null, clock.now)).setUp, null);
});

test("a password that is easy to guess is refused", async () => {
  const browser = await browserOf(api, await createUser());
  const refused = await browser("PUT", "/v1/user/password", { password: "aaaaaaaaaaaa" });
  assert.deepEqual([refused.status, refused.code], [400, "weak_password"]);
  assert.deepEqual((await browser("GET", "/v1/user/password")).body, {
    changedAt: null,
    isEnabled: true,
    isSet: false,
  });
});

test("without mail an address is changed by administrators alone, and never to one that is taken", async () => {
  const user = await createUser();
  const asked = await (
    await browserOf(api, user)
  )("POST", "/v1/user/email", { email: `${uniqueName("new")}@example.com` });
  assert.equal(asked.code, "mail_off");
  await request("PATCH", `/v1/users/${user.id}`, { body: { admin: true } });
  const { email } = await createUser();
  const taken = await (await browserOf(api, user))("POST", "/v1/user/email", { email });
  assert.deepEqual([taken.status, taken.code], [409, "email_taken"]);
  clock.advance(1);
  const same = await (await browserOf(api, user))("POST", "/v1/user/email", { email: user.email });
  assert.deepEqual([same.status, same.body.isConfirmed], [200, true]);
  assert.ok(
    (await readEvents(user.id)).every(({ type }) => type !== "email"),
    "nothing has changed",
  );
});

test("a server sends 2000 mails a day to people who sign up, and recovery goes on", async () => {
  const ask = (kind: "recovery" | "sign-up", ip: string) => changes.countAskedMail({ ip, kind }, clock.now);
  await ask("sign-up", "203.0.113.1");
  await query("update mail_counts set mails = 1999 where owner_id = 'asked'");
  await ask("sign-up", "203.0.113.2");
  await assert.rejects(ask("sign-up", "203.0.113.3"), { code: "too_many_mails", message: /from this server/ });
  await ask("recovery", "203.0.113.4");
});

test("an account causes so many mails a day: two for a change of its address, one where nobody confirmed the old one", async () => {
  const mailServer = await startMailServer();
  const world = await startOwnApp({
    smtpUrl: mailServer.url,
    publicUrl: "http://localhost:4000",
    mailUserLimit: "3",
  });
  const [confirmed, unconfirmed] = [await world.createUser(), await world.createUser()];
  await world.query(`update users set email_confirmed_at = null where id = '${unconfirmed.id}'`);
  for (const [user, times] of [
    [confirmed, 1],
    [unconfirmed, 3],
  ] as const) {
    const browser = await browserOf(world, user);
    const change = () => browser("POST", "/v1/user/email", { email: `${uniqueName("new")}@example.com` });
    for (let count = 0; count < times; count++) assert.equal((await change()).status, 200);
    const refused = await change();
    assert.deepEqual(
      [refused.status, refused.code, refused.body.error.setting],
      [429, "too_many_mails", "REEVE_MAIL_USER_LIMIT"],
    );
  }
});

test("a change of an address takes the address alone", async () => {
  const browser = await browserOf(api, await createUser());
  const refused = await browser("POST", "/v1/user/email", { email: "ada@example.com", isConfirmed: true });
  assert.deepEqual([refused.status, refused.body.error.field], [400, "body.isConfirmed"]);
});

test("an address is sent five links a day", async () => {
  const mailServer = await startMailServer();
  const world = await startOwnApp({ smtpUrl: mailServer.url, publicUrl: "http://localhost:4000" });
  const browser = await browserOf(world, await world.createUser());
  const email = `${uniqueName("new")}@example.com`;
  for (let count = 0; count < 5; count++) {
    assert.equal((await browser("POST", "/v1/user/email", { email })).status, 200);
  }
  const refused = await browser("POST", "/v1/user/email", { email });
  assert.deepEqual([refused.status, refused.code], [429, "too_many_mails"]);
});
