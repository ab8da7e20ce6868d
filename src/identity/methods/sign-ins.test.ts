// What each way to sign in does in the store: a session, a browser that is known from then on, and failures that are forgotten.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { TestUser } from "../../../test/harness/test-app.ts";
import { newPasskey } from "../../../test/sign-in/new-passkey.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";
import { ORIGIN, newIdentity } from "../../../test/sign-in/sign-in-with-identity.ts";
import { hashCredential } from "../../platform/kernel/credential.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { recordFailure } from "./failures/failures.ts";
import type { NewMethod } from "./methods.ts";
import { findPasskeyHost } from "./passkeys.ts";

const api = await startOwnApp();
const { app, clock, createUser, query, readEvents, withStore } = api;
const { changes } = app.runner;
const failedAs = (code: string) => ({ code });

const addMethod = ({ id: userId }: TestUser, method: NewMethod, sessionId: string | null = null) =>
  changes.addSignInMethod({ userId, method, sessionId, origin: ORIGIN }, clock.now);

/** A user with a passkey. */
async function newOwner() {
  const user = await createUser();
  await addMethod(user, await newPasskey(api, user.id));
  const [passkey] = await query(`select id from passkeys where user_id = '${user.id}'`);
  return { user, passkeyId: String(passkey?.["id"]) };
}

const newChallenge = () => changes.createPasskeyChallenge({ purpose: "passkey-proof", userId: null }, clock.now);

interface Hashes {
  readonly sessionHash: string;
  readonly deviceHash: string;
}

const NO_ROLES = { isAdministrator: null, teams: [] };

/** Signs in by each way, with failures that are counted for `subjects`. */
const WAYS: Readonly<
  Record<string, (user: TestUser, hashes: Hashes, subjects: readonly string[]) => Promise<unknown>>
> = {
  async link({ id }, hashes) {
    const link = await changes.createSignInLink({ name: id }, clock.now);
    await changes.useSignInLink({ code: link?.code ?? "", ...hashes, origin: ORIGIN, method: null }, clock.now);
  },
  password: ({ id: userId }, hashes, subjects) =>
    changes.signInWithPassword({ userId, ...hashes, subjects, renewal: null, origin: ORIGIN }, clock.now),
  async "recovery-code"({ id: userId }, hashes, subjects) {
    const code = userId.slice(-16);
    await query(
      `insert into recovery_codes (user_id, hash) values ('${userId}', '${hashCredential(code.toLowerCase())}')`,
    );
    assert.ok(await changes.signInWithRecoveryCode({ userId, code, ...hashes, subjects, origin: ORIGIN }, clock.now));
  },
  async passkey(user, hashes) {
    await addMethod(user, await newPasskey(api, user.id));
    const [row] = await query(`select id from passkeys where user_id = '${user.id}'`);
    const use = { passkeyId: String(row?.["id"]), userId: user.id, challenge: await newChallenge(), counter: 1 };
    await changes.signInWithPasskey({ ...use, origin: ORIGIN, open: hashes }, clock.now);
  },
  async provider(user, hashes) {
    const identity = newIdentity();
    await addMethod(user, identity);
    const use = { identity, signUp: null, roles: NO_ROLES, isNewcomer: false, provedAt: clock.now };
    await changes.signInWithIdentity({ ...use, ...hashes, origin: ORIGIN }, clock.now);
  },
};

const COUNTS_FAILURES = ["password", "recovery-code"];

async function subjectsOf(name: string) {
  const subjects = [`account:${name}`, `address:${name}`];
  await withStore(({ transaction }) => transaction((tx) => recordFailure(tx, subjects, clock.now)));
  return subjects;
}

const countedOf = async (subjects: readonly string[]) =>
  (await query(`select subject from sign_in_failures where subject in ('${subjects.join("','")}')`)).map(
    ({ subject }) => subject,
  );

for (const [method, signIn] of Object.entries(WAYS)) {
  test(`a sign-in with a ${method} opens a session, and its browser is known from then on`, async () => {
    const user = await createUser();
    const hashes = { sessionHash: uniqueName("session"), deviceHash: uniqueName("device") };
    const subjects = await subjectsOf(user.id);
    await signIn(user, hashes, subjects);
    const sessions = await query(`select id, hash, method from sessions where user_id = '${user.id}'`);
    const [session] = sessions;
    assert.deepEqual([sessions.length, session?.["hash"], session?.["method"]], [1, hashes.sessionHash, method]);
    const devices = await query(`select hash from known_devices where user_id = '${user.id}'`);
    assert.deepEqual(
      devices.map(({ hash }) => hash),
      [hashes.deviceHash],
    );
    const event = (await readEvents(user.id)).at(-1);
    assert.deepEqual([event?.type, event?.payload], ["login", { uid: user.id, sessionId: session?.["id"], method }]);
    if (COUNTS_FAILURES.includes(method))
      assert.deepEqual(await countedOf(subjects), [`address:${user.id}`], "a guesser may have an account too");
  });
}

test("a proof makes a session fresh again, opens no other one, and forgets the failures of the account", async () => {
  const { user, passkeyId } = await newOwner();
  const { id: sessionId } = await openSession(api, user);
  const { id: userId } = user;
  const subjects = await subjectsOf(userId);
  const proofs = {
    password: () =>
      changes.proveSession({ userId, sessionId, method: "password", subjects, origin: ORIGIN }, clock.now),
    passkey: async () => {
      const use = { passkeyId, userId, challenge: await newChallenge(), counter: 1, origin: ORIGIN };
      await changes.signInWithPasskey({ ...use, open: { sessionId } }, clock.now);
    },
  };
  for (const [method, prove] of Object.entries(proofs)) {
    clock.advance(MINUTE_MS);
    await prove();
    const rows = await query(`select id, proved_at from sessions where user_id = '${userId}'`);
    assert.deepEqual(
      rows.map((row) => [row["id"], Number(row["proved_at"])]),
      [[sessionId, clock.now]],
      method,
    );
    const event = (await readEvents(userId)).at(-1);
    assert.deepEqual([event?.type, event?.payload], ["login", { uid: userId, sessionId, method, isProof: true }]);
  }
  assert.deepEqual(await countedOf(subjects), [`address:${userId}`]);
});

test("a challenge is answered once, by the passkey of the account, and only for what it was made for", async () => {
  const { user, passkeyId } = await newOwner();
  const use = async (more: { readonly passkeyId?: string; readonly challenge?: string }) => {
    const hashes = { sessionHash: uniqueName("session"), deviceHash: "device" };
    const answer = { passkeyId, userId: user.id, counter: 1, challenge: await newChallenge(), ...more };
    await changes.signInWithPasskey({ ...answer, origin: ORIGIN, open: hashes }, clock.now);
  };
  const challenge = await newChallenge();
  await use({ challenge });
  await assert.rejects(use({ challenge }), failedAs("sign_in_failed"));
  await assert.rejects(use({ passkeyId: "passkey_removed" }), failedAs("sign_in_failed"));
  const { challenge: ofNewPasskey } = await newPasskey(api, user.id);
  await assert.rejects(use({ challenge: ofNewPasskey }), failedAs("sign_in_failed"));
  const expired = await newChallenge();
  clock.advance(5 * MINUTE_MS);
  await assert.rejects(use({ challenge: expired }), failedAs("sign_in_failed"));
});

test("a new passkey answers a challenge of its own account, or of nobody yet, once", async () => {
  const [user, other] = [await createUser(), await createUser()];
  const passkey = await newPasskey(api, user.id);
  await assert.rejects(addMethod(other, passkey), failedAs("sign_in_failed"));
  await addMethod(user, passkey);
  await assert.rejects(addMethod(user, { ...passkey, credentialId: "other" }), failedAs("sign_in_failed"));
  const challenge = await changes.createPasskeyChallenge({ purpose: "passkey-new", userId: null }, clock.now);
  await addMethod(user, { ...(await newPasskey(api, user.id)), challenge });
  assert.equal((await query(`select id from passkeys where user_id = '${user.id}'`)).length, 2);
});

test("a new password ends the other sessions of the account, and another method ends none", async () => {
  const user = await createUser();
  const [own, elsewhere] = [await openSession(api, user), await openSession(api, user)];
  const listed = async () =>
    (await query(`select id from sessions where user_id = '${user.id}'`)).map(({ id }) => id).toSorted();
  for (const method of [await newPasskey(api, user.id), newIdentity()]) {
    await addMethod(user, method, own.id);
    assert.deepEqual(await listed(), [own.id, elsewhere.id].toSorted(), method.kind);
  }
  await addMethod(user, { kind: "password", hash: "h" }, own.id);
  assert.deepEqual(await listed(), [own.id]);
});

test("a password that was verified with older parameters is stored with newer ones, unless it was changed", async () => {
  const user = await createUser();
  await addMethod(user, { kind: "password", hash: "old" });
  const signIn = async (from: string, hash: string) => {
    const hashes = { sessionHash: uniqueName("session"), deviceHash: "device" };
    const order = { userId: user.id, ...hashes, subjects: [], renewal: { from, hash }, origin: ORIGIN };
    await changes.signInWithPassword(order, clock.now);
    return (await query(`select hash from passwords where user_id = '${user.id}'`))[0]?.["hash"];
  };
  assert.equal(await signIn("old", "new"), "new");
  assert.equal(await signIn("old", "late"), "new");
});

test("passkeys are asked of the present host, or of the nearest domain above it that some were made for", async () => {
  const hostOf = (host: string) => findPasskeyHost(app.runner.reader, host);
  const { user } = await newOwner();
  await query(`update passkeys set rp_id = 'example.com' where user_id = '${user.id}'`);
  assert.equal(await hostOf("reeve.eu.example.com"), "example.com");
  assert.equal(await hostOf("example.com"), "example.com");
  assert.equal(await hostOf("reeve.example.org"), "reeve.example.org");
  assert.equal(await hostOf("localhost"), "localhost");
});
