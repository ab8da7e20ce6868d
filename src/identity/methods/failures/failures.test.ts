import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import type { TestUser } from "../../../../test/harness/test-app.ts";
import { openSession } from "../../../../test/sign-in/open-session.ts";
import { createVisitor } from "../../../../test/sign-in/visitor.ts";
import type { Visitor } from "../../../../test/sign-in/visitor.ts";
import { createSecretCode } from "../../../platform/kernel/credential.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { createPasswordHashing } from "../../sign-in/password-hashing.ts";
import { clearFailures, failureSubjects, findPause, recordFailure } from "./failures.ts";

const api = await startOwnApp();
const { app, clock, createUser, readEvents, withStore, query } = api;
const { changes } = app.runner;

const PASSWORD = "purple elephant dance slowly";
const ORIGIN = { ip: "192.0.2.200", userAgent: null, requestId: "req_test", via: "http" } as const;
const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => withStore(({ transaction }) => transaction(work));
const pauseOf = (subjects: readonly string[]) => findPause(app.runner.reader, subjects, clock.now);

let addresses = 0;
/** An address that nobody has used yet. */
function newAddress(): string {
  addresses++;
  return `198.51.100.${addresses}`;
}

/** A user with a password. */
async function createOwner(): Promise<TestUser> {
  const user = await createUser();
  const link = await changes.createSignInLink({ name: user.id }, clock.now);
  const hash = await createPasswordHashing().hash(PASSWORD);
  await changes.useSignInLink(
    {
      code: link?.code as string,
      method: { kind: "password", hash },
      sessionHash: createSecretCode().hash,
      deviceHash: createSecretCode().hash,
      origin: ORIGIN,
    },
    clock.now,
  );
  return user;
}

const signIn = (visitor: Visitor, login: string, password: string) => visitor.post("sign-in", { login, password });

test("a person who guesses waits longer and longer, at accounts that exist and at those that do not", async () => {
  const owner = await createOwner();
  const seen = [];
  for (const login of [owner.username, `no-${owner.username}`]) {
    const guesser = createVisitor(app, newAddress());
    const answers = [];
    for (let guess = 0; guess < 5; guess++) answers.push(await signIn(guesser, login, "wrong"));
    // Paused: the right password is refused too, so that it does not stand out.
    answers.push(await signIn(guesser, login, PASSWORD));
    clock.advance(SECOND_MS);
    answers.push(await signIn(guesser, login, "wrong"));
    answers.push(await signIn(guesser, login, "wrong"));
    seen.push(
      answers.map(({ status, html, location }) => ({
        status,
        location,
        html: html.replaceAll(login, "LOGIN"),
      })),
    );
  }
  const [existing, absent] = seen;
  assert.deepEqual(absent, existing);
  assert.deepEqual(
    existing?.map(({ status }) => status),
    [401, 401, 401, 401, 401, 429, 401, 429],
  );
  assert.match(existing?.[5]?.html ?? "", /Too many attempts: try again in 1 s/);
  assert.match(existing?.[7]?.html ?? "", /Too many attempts: try again in 2 s/);
  const failed = (await readEvents(owner.id)).filter(({ type }) => type === "login-failed");
  assert.equal(failed.length, 6);
});

test("guesses count for an account by whichever of its names, and a pause does not tell that they belong together", async () => {
  const [owner, other] = [await createOwner(), await createOwner()];
  const guess = (login: string, password = "wrong") => signIn(createVisitor(app, newAddress()), login, password);
  for (const login of [owner.username, owner.username, owner.email, owner.username, owner.email.toUpperCase()]) {
    assert.equal((await guess(login)).status, 401);
  }
  // Five failures of the account, three and two of its names: the right password is tried under neither.
  const refused = await guess(owner.email, PASSWORD);
  const absent = await guess(`no-${owner.email}`, PASSWORD);
  assert.deepEqual([refused.status, refused.problem], [absent.status, absent.problem]);
  assert.equal(refused.status, 401);
  assert.equal((await guess(owner.username, PASSWORD)).status, 401);
  assert.equal((await guess(other.username, PASSWORD)).status, 303);
  clock.advance(SECOND_MS);
  assert.equal((await guess(owner.username)).status, 401, "the sixth");
  assert.equal((await guess(owner.email, PASSWORD)).status, 401);
  clock.advance(2 * SECOND_MS);
  assert.equal((await guess(owner.email, PASSWORD)).status, 303);
  const failed = (await readEvents(owner.id)).filter(({ type }) => type === "login-failed");
  assert.equal(failed.length, 6, "what was not tried is no failure of the account");
});

test("somebody who is signed in is told the pause of their account", async () => {
  const owner = await createOwner();
  const { session } = await openSession(api, owner);
  for (let guess = 0; guess < 5; guess++) await signIn(createVisitor(app, newAddress()), owner.email, "wrong");
  const body = new URLSearchParams({ action: "password", password: PASSWORD }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const prove = () => api.request("POST", "/console/prove", { session, body, headers });
  assert.equal((await prove()).status, 429);
  clock.advance(SECOND_MS);
  assert.equal((await prove()).status, 303);
});

test("guesses at an account, from its owner's address too, do not lock out its owner's browser", async () => {
  const owner = await createOwner();
  const [address, elsewhere] = [newAddress(), newAddress()];
  const home = createVisitor(app, address);
  assert.equal((await signIn(home, owner.email, PASSWORD)).status, 303);
  // With a session, the page would lead on without a proof.
  assert.equal((await home.post("sign-out", {})).status, 303);
  await inTransaction(async (tx) => {
    const strangers = failureSubjects({ kind: "account", login: owner.email, ip: address, knownDeviceHash: null });
    for (let guess = 0; guess < 60; guess++) await recordFailure(tx, strangers, clock.now);
  });
  assert.equal((await signIn(createVisitor(app, address), owner.email, PASSWORD)).status, 429);
  assert.equal((await signIn(createVisitor(app, elsewhere), owner.email, PASSWORD)).status, 429);
  assert.equal((await signIn(home, owner.email, PASSWORD)).status, 303);
  // That the owner has signed in does not let strangers go on.
  assert.equal((await signIn(createVisitor(app, elsewhere), owner.email, PASSWORD)).status, 429);
  // Another account is paused at that address alone.
  const other = await createOwner();
  assert.equal((await signIn(createVisitor(app, address), other.email, PASSWORD)).status, 429);
  assert.equal((await signIn(createVisitor(app, elsewhere), other.email, PASSWORD)).status, 303);
});

test("wrong recovery codes are counted, at accounts that exist and at those that do not", async () => {
  const owner = await createOwner();
  const use = (login: string) => createVisitor(app, newAddress()).post("recover", { login, code: "wrong" });
  for (const login of [owner.username, `no-${owner.username}`]) {
    for (let guess = 0; guess < 5; guess++) {
      const { status, problem } = await use(login);
      assert.deepEqual([status, problem], [401, "Recovery code: The name or the code is wrong, or the code was used"]);
    }
    assert.equal((await use(login)).status, 429);
  }
  const failed = (await readEvents(owner.id)).filter(({ type }) => type === "login-failed");
  assert.equal(failed.length, 5);
  assert.equal(failed[0]?.text, "Reeve refused a sign-in with a wrong recovery code");
});

test("a success forgets the failures of the account on that side, but not those of the address", async () => {
  const subjects = failureSubjects({
    kind: "account",
    login: "grace-forgets",
    ip: "2001:db8:1:2:3::4",
    knownDeviceHash: null,
  });
  const again = failureSubjects({
    kind: "account",
    login: "GRACE-forgets",
    ip: "2001:db8:1:2:ffff::",
    knownDeviceHash: null,
  });
  assert.deepEqual(again, subjects);
  assert.equal(subjects[1], "address:2001:db8:1:2::/64");
  assert.deepEqual(failureSubjects({ kind: "account", login: "grace", ip: "192.0.2.7", knownDeviceHash: "abc" }), [
    "device:abc",
  ]);
  await inTransaction(async (tx) => {
    for (let guess = 0; guess < 51; guess++) await recordFailure(tx, subjects, clock.now);
  });
  assert.equal(await pauseOf(subjects), 15 * MINUTE_MS);
  await inTransaction((tx) => clearFailures(tx, subjects));
  assert.equal(await pauseOf(subjects), 2 * SECOND_MS);
  assert.equal(await pauseOf(subjects.slice(0, 1)), 0);
});

test("failures at the same time are all counted", async () => {
  const owner = await createOwner();
  const subjects = failureSubjects({ kind: "account", login: owner.email, ip: newAddress(), knownDeviceHash: null });
  const failed = { userId: owner.id, method: "password" } as const;
  const record = () => changes.recordSignInFailure({ failed, subjects, origin: ORIGIN }, clock.now);
  const recordAbsent = () => changes.recordSignInFailure({ failed: null, subjects, origin: ORIGIN }, clock.now);
  await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? record() : recordAbsent())));
  const rows = await query(`select failures from sign_in_failures where subject in ('${subjects.join("','")}')`);
  assert.deepEqual(
    rows.map(({ failures }) => Number(failures)),
    [20, 20],
  );
});

test("failures are forgotten after a day without one, and their rows are deleted", async () => {
  const subjects = ["account:forgotten"];
  const fail = (times: number) =>
    inTransaction(async (tx) => {
      for (let guess = 0; guess < times; guess++) await recordFailure(tx, subjects, clock.now);
    });
  const countRows = async () =>
    Number(
      (await query("select count(*) as rows from sign_in_failures where subject = 'account:forgotten'"))[0]?.["rows"],
    );
  await fail(5);
  clock.advance(DAY_MS);
  await fail(1);
  assert.equal(await pauseOf(subjects), 2 * SECOND_MS);
  clock.advance(DAY_MS + 1);
  await fail(1);
  assert.equal(await pauseOf(subjects), 0);
  await fail(4);
  assert.equal(await pauseOf(subjects), SECOND_MS);
  clock.advance(DAY_MS);
  await changes.pruneSignInFailures(null, clock.now);
  assert.equal(await countRows(), 1);
  clock.advance(1);
  assert.ok((await changes.pruneSignInFailures(null, clock.now)) > 0);
  assert.equal(await countRows(), 0);
  assert.equal(await changes.pruneSignInFailures(null, clock.now), 0);
});
