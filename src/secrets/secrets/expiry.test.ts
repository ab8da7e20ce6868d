import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { openVault, outcome } from "../../../test/resources/secrets.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";
import { sessionAsToken } from "../../../test/sign-in/session-token.ts";
import { DAY_MS, HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { App } from "../../serve/app.ts";

const client = await startOwnApp();
const { clock, createUser, readEvents, startAnother } = client;
let { app } = client;

async function ownVault() {
  const user = await createUser();
  return { user, vault: openVault(client, user.token), noticesOf: () => noticesOf(user.id) };
}

/** Does what housekeeping does each minute. */
async function announce({ runner }: App = app): Promise<void> {
  for (let step = 0; step < 100; step++) {
    if ((await runner.changes.announceExpiry(null, clock.now)) === 0) return;
  }
  assert.fail("announcing finds no end");
}

async function noticesOf(ownerId: string): Promise<string[]> {
  const events = (await readEvents(ownerId)).filter(({ type }) => type === "secret-expiring");
  return events.map(({ payload }) => `${payload.name} ${payload.notice}`);
}

test("an expiry has a notice seven days before, one day before, and at its time, each once", async () => {
  const { user, vault, noticesOf: notices } = await ownVault();
  const expiresAt = clock.now + 8 * DAY_MS;
  const { uid } = await vault.add("s", { expiresAt });
  const steps: [number, string[]][] = [
    [DAY_MS - 1, []],
    [1, ["s week"]],
    [6 * DAY_MS - 1, []],
    [1, ["s day"]],
    [DAY_MS - 1, []],
    [1, ["s expired"]],
    [30 * DAY_MS, []],
  ];
  const expected: string[] = [];
  for (const [wait, told] of steps) {
    clock.advance(wait);
    await announce();
    await announce();
    expected.push(...told);
    assert.deepEqual(await notices(), expected);
  }
  const events = (await readEvents(user.id)).filter(({ type }) => type === "secret-expiring");
  assert.deepEqual(
    events.map(({ principalId, entityId }) => [principalId, entityId]),
    Array.from({ length: 3 }, () => ["system", uid]),
  );
  assert.deepEqual(events[0]?.payload, { name: "s", uid, expiresAt, notice: "week" });
  assert.equal(events[2]?.text, "Reeve noticed that secret s has expired");
  assert.equal((await vault.read("s")).headers["etag"], '"1"', "an announcement is no change of the secret");
});

test("a service that was down emits only the latest notice", async () => {
  const { vault, noticesOf: notices } = await ownVault();
  await vault.add("slept1", { expiresAt: clock.now + 10 * DAY_MS });
  await vault.add("slept2", { expiresAt: clock.now + 20 * DAY_MS });
  clock.advance(9 * DAY_MS + HOUR_MS);
  await announce();
  assert.deepEqual(await notices(), ["slept1 day"]);
  clock.advance(60 * DAY_MS);
  await announce();
  assert.deepEqual((await notices()).toSorted(), ["slept1 day", "slept1 expired", "slept2 expired"]);
});

test("a secret that expires too soon for a notice gets the next one", async () => {
  const { vault, noticesOf: notices } = await ownVault();
  await vault.add("days7", { expiresAt: clock.now + 7 * DAY_MS });
  await vault.add("hours", { expiresAt: clock.now + HOUR_MS });
  await announce();
  assert.deepEqual(await notices(), []);
  clock.advance(HOUR_MS);
  await announce();
  assert.deepEqual(await notices(), ["hours expired"]);
  clock.advance(6 * DAY_MS - HOUR_MS);
  await announce();
  assert.deepEqual(await notices(), ["hours expired", "days7 day"]);
});

test("a new expiry has notices again, and a removed one has none", async () => {
  const { vault, noticesOf: notices } = await ownVault();
  const soon = () => clock.now + 8 * DAY_MS;
  await vault.add("moved", { expiresAt: soon() });
  await vault.add("lifted", { expiresAt: soon() });
  await vault.add("given");
  await vault.add("put", { expiresAt: soon() });
  await vault.change("given", { expiresAt: soon() });
  await vault.change("lifted", { expiresAt: null });
  clock.advance(DAY_MS);
  await announce();
  assert.deepEqual(new Set(await notices()), new Set(["moved week", "given week", "put week"]));
  await vault.change("moved", { expiresAt: soon() });
  await vault.put("put", { value: "x", expiresAt: null });
  await vault.change("given", { description: "the end stays" });
  await vault.put("given", { value: "the end stays" });
  clock.advance(DAY_MS);
  await announce();
  clock.advance(5 * DAY_MS);
  await announce();
  assert.deepEqual((await notices()).slice(3), ["moved week", "given day"]);
});

test("deleted secrets give no notice, and restored ones do again", async () => {
  const { vault, noticesOf: notices } = await ownVault();
  await vault.add("back", { expiresAt: clock.now + 8 * DAY_MS });
  await vault.add("gone", { expiresAt: clock.now + 8 * DAY_MS });
  await vault.add("destroyed", { expiresAt: clock.now + 8 * DAY_MS });
  for (const name of ["back", "gone"]) await vault.remove(name);
  await vault.remove("destroyed", "permanent=true");
  clock.advance(DAY_MS);
  await announce();
  assert.equal(outcome(await vault.restore("back")), "ok");
  await announce();
  assert.deepEqual(await notices(), []);
  clock.advance(6 * DAY_MS);
  await announce();
  assert.deepEqual(await notices(), ["back day"]);
});

test("a session brings the value of an expired secret back only with a fresh proof", async () => {
  const { user, vault } = await ownVault();
  for (const name of ["extended", "replaced"]) await vault.add(name, { expiresAt: clock.now + HOUR_MS });
  const { session, id } = await openSession(client, user);
  const browser = openVault(client, sessionAsToken(session));
  clock.advance(HOUR_MS - 1);
  const later = clock.now + HOUR_MS;
  assert.equal(outcome(await browser.change("replaced", { expiresAt: clock.now + 1 })), "ok", "it can be read as yet");
  clock.advance(1);
  assert.equal(outcome(await vault.reveal("extended")), "secret_expired");
  for (const expiresAt of [later, null]) {
    assert.equal(outcome(await browser.change("extended", { expiresAt })), "proof_required");
    const put = await browser.put("replaced", { value: "new", expiresAt });
    assert.equal(outcome(put), "proof_required", "the versions before could be read too");
  }
  assert.equal(outcome(await browser.change("extended", { description: "still expired" })), "ok");
  assert.equal(outcome(await browser.put("replaced", { value: "still expired" })), "ok");
  assert.equal(outcome(await vault.reveal("extended")), "secret_expired");
  await client.query(`update sessions set proved_at = ${clock.now} where id = '${id}'`);
  assert.equal(outcome(await browser.change("extended", { expiresAt: later })), "ok");
  assert.equal(outcome(await vault.put("replaced", { value: "by a token", expiresAt: later })), "ok");
  assert.equal(outcome(await vault.reveal("extended")), "ok");
});

test("an expiry in the past is refused", async () => {
  const { vault } = await ownVault();
  await vault.add("kept", { expiresAt: clock.now + 1 });
  const past = { expiresAt: clock.now };
  const refusals = [
    await vault.create({ name: "refused", value: "x", ...past }),
    await vault.change("kept", past),
    await vault.put("kept", { value: "x", ...past }),
  ];
  for (const { status, body } of refusals) {
    assert.deepEqual([status, body.error.code, body.error.field], [400, "invalid_expiry", "body.expiresAt"]);
  }
  assert.equal((await vault.read("kept")).body.expiresAt, clock.now + 1);
});

test("two concurrent services emit each notice once", async () => {
  const { vault, noticesOf: notices } = await ownVault();
  const other = (await createUser()).token;
  const names = Array.from({ length: 10 }, (_, at) => `n${at}`);
  for (const name of names) await vault.add(name, { expiresAt: clock.now + DAY_MS + 1 });
  await openVault(client, other).add("other", { expiresAt: clock.now + DAY_MS + 1 });
  clock.advance(1);
  const second = await startAnother();
  await Promise.all([announce(app), announce(second), announce(app), announce(second)]);
  assert.deepEqual((await notices()).toSorted(), names.map((name) => `${name} day`).toSorted());
  await second.close();
});

test("a restart repeats and loses no notice", async () => {
  const { vault, noticesOf: notices } = await ownVault();
  await vault.add("lasting", { expiresAt: clock.now + 8 * DAY_MS });
  clock.advance(DAY_MS);
  await announce();
  await app.close();
  app = await startAnother();
  await announce();
  assert.deepEqual(await notices(), ["lasting week"]);
  clock.advance(7 * DAY_MS);
  await announce();
  assert.deepEqual(await notices(), ["lasting week", "lasting expired"]);
});
