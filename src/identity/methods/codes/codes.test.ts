// One-time codes and recovery codes in the store: what each is good for, and what ends it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp, uniqueName } from "../../../../test/harness/test-app.ts";
import type { TestUser } from "../../../../test/harness/test-app.ts";
import { openSession } from "../../../../test/sign-in/open-session.ts";
import { ORIGIN } from "../../../../test/sign-in/sign-in-with-identity.ts";
import { createVisitor } from "../../../../test/sign-in/visitor.ts";
import { createSecretCode, hashCredential } from "../../../platform/kernel/credential.ts";
import { HOUR_MS } from "../../../platform/kernel/scheduling/clock.ts";
import { renewMailedCode } from "./mailed-codes.ts";

const api = await startOwnApp();
const { app, clock, createUser, query, readEvents, request, withStore } = api;
const { changes } = app.runner;

const addressOf = async ({ id }: TestUser) => (await query(`select email from users where id = '${id}'`))[0]?.["email"];
const moveTo = ({ id }: TestUser, email: string) => request("PATCH", `/v1/users/${id}`, { body: { email } });
const statusOf = async (path: string) => (await createVisitor(app).get(path)).status;

async function linkOf({ id }: TestUser): Promise<string> {
  const link = await changes.createSignInLink({ name: id }, clock.now);
  assert.ok(link);
  return link.code;
}

const queueRecovery = ({ username }: TestUser, hasMail = true) =>
  changes.queueRecovery({ login: username, origin: ORIGIN, instance: { hasMail } }, clock.now);
const recoveriesOf = ({ id }: TestUser) =>
  query(`select hash from one_time_codes where user_id = '${id}' and purpose = 'recovery'`);

/** The code of a link that is mailed: the mail itself would have made it. */
async function mailedTo(user: TestUser): Promise<string> {
  await queueRecovery(user);
  const { value, hash } = createSecretCode();
  await query(`update one_time_codes set hash = '${hash}' where user_id = '${user.id}' and purpose = 'recovery'`);
  return value;
}

/** Uses a link as its page does, once it has found it good. */
const use = async (code: string, account?: { readonly name: string | null; readonly email: string }) => {
  const hashes = { sessionHash: uniqueName("session"), deviceHash: "device" };
  await changes.useSignInLink(
    { code, ...hashes, origin: ORIGIN, method: null, ...(account && { account }) },
    clock.now,
  );
};
const UNKNOWN = { code: "link_unknown" };

/** Plants a code of whatever purpose. */
async function plant(purpose: string, userId: string | null): Promise<string> {
  const { value, hash } = createSecretCode();
  const owner = userId === null ? "null" : `'${userId}'`;
  await query(`insert into one_time_codes (hash, purpose, user_id, data, expires_at)
    values ('${hash}', '${purpose}', ${owner}, '{"email":"ada@example.com","previous":"eve@example.com"}', ${clock.now + HOUR_MS})`);
  return value;
}

test("a link of the operator is an event of its account, and nobody gets none", async () => {
  const user = await createUser();
  for (const name of [user.id, user.username, user.email]) {
    const link = await changes.createSignInLink({ name }, clock.now);
    assert.equal(link?.username, user.username);
    const event = (await readEvents(user.id)).at(-1);
    const payload = { uid: user.id, purpose: "set-up", expiresAt: clock.now + HOUR_MS };
    assert.deepEqual([event?.type, event?.payload], ["sign-in-link-created", payload]);
  }
  assert.equal(await changes.createSignInLink({ name: uniqueName("nobody") }, clock.now), null);
});

test("a code is good for nothing but what it was made for", async () => {
  const user = await createUser();
  const others = ["provider", "provider-link", "passkey-new", "passkey-proof", "email-old", "email-new", "sign-up"];
  for (const purpose of others) {
    const code = await plant(purpose, user.id);
    for (const page of ["set-up", "recover"]) assert.equal(await statusOf(`${page}?code=${code}`), 404, purpose);
    await assert.rejects(use(code), UNKNOWN, purpose);
    const kept = await query(`select purpose from one_time_codes where hash = '${hashCredential(code)}'`);
    assert.equal(kept.length, 1, "it still does what it was made for");
  }
  const link = await linkOf(user);
  assert.equal(await statusOf(`confirm-email?code=${link}`), 404);
  await assert.rejects(changes.confirmEmail({ code: link, origin: ORIGIN }, clock.now), UNKNOWN);
  assert.equal(await changes.takeProviderStep({ code: link }, clock.now), null);
  await use(link);
});

test("a mailed link is refused when the address has changed since its page was opened, and stays so", async () => {
  const user = await createUser();
  const code = await mailedTo(user);
  await moveTo(user, `${uniqueName("moved")}@example.com`);
  await assert.rejects(use(code), UNKNOWN);
  await queueRecovery(user);
  assert.equal((await recoveriesOf(user)).length, 1);
  await moveTo(user, user.email);
  await assert.rejects(use(code), UNKNOWN, "it does not come back with its address");
});

test("no link but a set-up says where mail goes", async () => {
  const user = await createUser();
  const account = { name: "Eve", email: `${uniqueName("eve")}@example.com` };
  await query(`insert into passwords (user_id, hash, changed_at) values ('${user.id}', 'h', ${clock.now})`);
  for (const make of [linkOf, mailedTo]) {
    const code = await make(user);
    await assert.rejects(use(code, account), UNKNOWN);
    assert.equal(await addressOf(user), user.email);
    await use(code);
  }
});

test("of the links to an account, the first that is used ends the others", async () => {
  const user = await createUser();
  const [operators, mailed] = [await linkOf(user), await mailedTo(user)];
  await use(operators);
  await assert.rejects(use(mailed), UNKNOWN);
});

test("a link to an account that is being deleted leads nowhere", async () => {
  const user = await createUser();
  const [link, change] = [await linkOf(user), await plant("email-new", user.id)];
  await query(`insert into removals (owner_id, begun_at, removed) values ('${user.id}', 0, 0)`);
  for (const path of [`set-up?code=${link}`, `recover?code=${link}`, `confirm-email?code=${change}`])
    assert.equal(await statusOf(path), 404, path);
  await query(`delete from removals where owner_id = '${user.id}'`);
});

test("new recovery codes end earlier ones, and are an event", async () => {
  const user = await createUser();
  const { session } = await openSession(api, user);
  const headers = { "sec-fetch-site": "same-origin" };
  const make = async () =>
    (await request("POST", "/v1/user/recovery-codes", { session, headers })).body.codes as string[];
  const [[earlier = ""], [later = ""]] = [await make(), await make()];
  const event = (await readEvents(user.id)).at(-1);
  assert.deepEqual([event?.type, event?.payload], ["recovery-codes-created", { uid: user.id, count: 10 }]);
  const signIn = (code: string) => {
    const hashes = { sessionHash: uniqueName("session"), deviceHash: "device" };
    return changes.signInWithRecoveryCode(
      { userId: user.id, code, ...hashes, subjects: [], origin: ORIGIN },
      clock.now,
    );
  };
  assert.deepEqual([await signIn(earlier), await signIn(later)], [false, true]);
});

test("where no mail is sent, asking for a link leaves no code and no event", async () => {
  const user = await createUser();
  const before = (await readEvents(user.id)).length;
  await queueRecovery(user, false);
  assert.deepEqual([await recoveriesOf(user), (await readEvents(user.id)).length], [[], before]);
});

test("a mail whose code was withdrawn gets no other one", async () => {
  const renewed = await withStore(({ transaction }) =>
    transaction((tx) => renewMailedCode(tx, { mailId: "mail_withdrawn", now: clock.now })),
  );
  assert.equal(renewed, undefined);
});
