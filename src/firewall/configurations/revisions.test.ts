// Preconditions and permissions: If-Match and expectedVersion on the active configuration and the draft, roles, and owners.
import assert from "node:assert/strict";
import { test } from "node:test";
import { denyPath, firewallEvents, openFirewall, outcome } from "../../../test/resources/firewalls.ts";
import type { Firewall } from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestResponse } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";

const client = await startTestApp();
const { createUser } = client;

async function ownFirewall() {
  const user = await createUser();
  return { user, firewall: openFirewall(client, user.token) };
}

type Headers = Readonly<Record<string, string>>;
const match = (tag: string): Headers => ({ "if-match": tag });
const toggle = (value: boolean) => ({ action: "botId.toggle", value });

/** Requests that change the active version, with their preconditions. */
const CHANGES: readonly (readonly [
  what: string,
  send: (firewall: Firewall, more: object, headers?: Headers) => Promise<TestResponse>,
])[] = [
  ["PUT", (firewall, more, headers) => firewall.put({ firewallEnabled: false, ...more }, headers)],
  ["PATCH", (firewall, more, headers) => firewall.patch({ ...toggle(true), ...more }, headers)],
  ["activating a version", (firewall, more, headers) => firewall.activate(1, more, headers)],
];

for (const [what, send] of CHANGES) {
  test(`${what} requires the active version by If-Match or expectedVersion`, async () => {
    const { user, firewall } = await ownFirewall();
    await firewall.set();
    const active = await firewall.set({ rules: [denyPath("a")] });
    const events = await firewallEvents(client, user.id);
    for (const tag of ['"1"', '"3"', "2", '"0"', "W/x", '"1", "3"']) {
      const refused = await send(firewall, {}, match(tag));
      assert.deepEqual(
        [refused.status, refused.body.error.code, refused.body.error.etag],
        [412, "revision_mismatch", '"2"'],
        tag,
      );
    }
    for (const expectedVersion of [0, 1, 3, Number.MAX_SAFE_INTEGER]) {
      const refused = await send(firewall, { expectedVersion });
      const { code, field, currentVersion, message } = refused.body.error;
      assert.deepEqual(
        [refused.status, code, field, currentVersion],
        [409, "version_conflict", "body.expectedVersion", 2],
      );
      assert.equal(message, `expectedVersion: expected 2, the active one, got ${expectedVersion}`);
    }
    assert.equal(outcome(await send(firewall, { expectedVersion: 1 }, match('"2"'))), "version_conflict");
    assert.deepEqual([await firewall.read(), await firewallEvents(client, user.id)], [active, events]);
    assert.equal(outcome(await send(firewall, { expectedVersion: 2 }, match('"1", "2"'))), "ok");
    assert.notEqual((await firewall.read()).version, 2);
    assert.equal(outcome(await send(firewall, {}, match("*"))), "ok");
  });
}

/** What a change begins or discards, which is not there yet. */
const BEGINNINGS: typeof CHANGES = [
  ...CHANGES.filter(([what]) => what !== "activating a version"),
  ["PATCH of the draft", (firewall, more, headers) => firewall.stage({ ...toggle(true), ...more }, headers)],
];

for (const [what, send] of BEGINNINGS) {
  test(`${what} with If-Match: * requires that there is something to change`, async () => {
    const { user, firewall } = await ownFirewall();
    for (const tag of ["*", '"7", *', '*, "7"']) {
      const refused = await send(firewall, {}, match(tag));
      assert.deepEqual([refused.status, outcome(refused)], [412, "revision_mismatch"], tag);
    }
    assert.deepEqual(await firewallEvents(client, user.id), []);
    assert.equal(outcome(await send(firewall, {})), "ok");
    assert.equal(outcome(await send(firewall, {}, match("*"))), "ok");
    // A draft that was discarded is not there again.
    if ((await firewall.discard()).status !== 204) return;
    assert.equal(outcome(await send(firewall, {}, match("*"))), "revision_mismatch");
  });
}

test("version 0 means that no version is active", async () => {
  const { firewall } = await ownFirewall();
  assert.equal(outcome(await firewall.put({ firewallEnabled: true, expectedVersion: 1 })), "version_conflict");
  assert.equal(outcome(await firewall.put({ firewallEnabled: true }, match('"1"'))), "revision_mismatch");
  assert.equal(outcome(await firewall.stage({ ...toggle(true), expectedVersion: 1 })), "version_conflict");
  assert.equal(outcome(await firewall.stage({ ...toggle(true), expectedVersion: 0 })), "ok");
  assert.equal(outcome(await firewall.activate("draft", { expectedVersion: 0 })), "ok");
  assert.equal(outcome(await firewall.put({ firewallEnabled: true, expectedVersion: 0 })), "version_conflict");
});

test("a change without effect is rejected by its preconditions too", async () => {
  const { firewall } = await ownFirewall();
  await firewall.set();
  assert.equal(outcome(await firewall.put({ firewallEnabled: true, expectedVersion: 5 })), "version_conflict");
  assert.equal(outcome(await firewall.activate(1, {}, match('"5"'))), "revision_mismatch");
});

test("for a draft, If-Match requires its revision, and expectedVersion the active version", async () => {
  const { firewall } = await ownFirewall();
  await firewall.set();
  const tagOf = ({ headers }: TestResponse) => headers["etag"] as string;
  const first = tagOf(await firewall.stage(toggle(true)));
  const second = tagOf(await firewall.stage({ action: "ja3Enabled", value: true }, match(first)));
  assert.notEqual(first, second);
  const calls: readonly ((headers: Headers) => Promise<TestResponse>)[] = [
    (headers) => firewall.stage(toggle(false), headers),
    (headers) => firewall.activate("draft", {}, headers),
    (headers) => firewall.discard(headers),
  ];
  for (const call of calls) assert.equal(outcome(await call(match(first))), "revision_mismatch");
  for (const expectedVersion of [0, 2]) {
    assert.equal(outcome(await firewall.stage({ ...toggle(false), expectedVersion })), "version_conflict");
    assert.equal(outcome(await firewall.activate("draft", { expectedVersion })), "version_conflict");
  }
  // A change of the active configuration changes the revision of the draft.
  await firewall.patch({ action: "ja4Enabled", value: true });
  const third = tagOf(await firewall.get("draft"));
  assert.equal(outcome(await firewall.activate("draft", {}, match(second))), "revision_mismatch");
  assert.equal(outcome(await firewall.activate("draft", { expectedVersion: 1 }, match(third))), "version_conflict");
  assert.equal(outcome(await firewall.activate("draft", { expectedVersion: 2 }, match(third))), "ok");

  const later = tagOf(await firewall.stage(toggle(false)));
  assert.ok(![first, second, third].includes(later), "no revision comes twice");
  assert.equal(outcome(await firewall.discard(match(second))), "revision_mismatch");
  assert.equal(outcome(await firewall.discard(match(later))), "ok");
});

test("firewall:read sees the firewall of a team, firewall:write changes it, and others get 404", async () => {
  const owner = await createUser();
  const team = await openTeam(client, owner);
  const mine = openFirewall(client, owner.token, "site", team.id);
  await mine.set({ rules: [denyPath("a")] });
  await mine.stage(toggle(true));
  const as = async (role: string) => {
    const user = await createUser();
    await team.add(user, role);
    return openFirewall(client, user.token, "site", team.id);
  };
  const reads = (firewall: Firewall) => [
    firewall.get(),
    firewall.get("draft"),
    firewall.get(1),
    firewall.call("GET", ""),
    firewall.call("GET", "/active/diff/draft"),
  ];
  const writes = (firewall: Firewall) => [
    firewall.put({ firewallEnabled: false }),
    firewall.patch(toggle(true)),
    firewall.stage(toggle(false)),
    firewall.activate("draft"),
    firewall.activate(1),
    firewall.discard(),
  ];
  const statuses = async (responses: readonly Promise<TestResponse>[]) => [
    ...new Set((await Promise.all(responses)).map(({ status }) => status)),
  ];
  const before = await mine.list();
  for (const role of ["VIEWER", "VIEWER_FOR_PLUS", "DEVELOPER"]) {
    const firewall = await as(role);
    assert.deepEqual(await statuses(reads(firewall)), [200], role);
    assert.deepEqual(await statuses(writes(firewall)), [403], role);
  }
  for (const role of ["CONTRIBUTOR", "BILLING"]) {
    const firewall = await as(role);
    assert.deepEqual(await statuses([...reads(firewall), ...writes(firewall)]), [403], role);
  }
  const stranger = openFirewall(client, (await createUser()).token, "site", team.id);
  assert.deepEqual(await statuses([...reads(stranger), ...writes(stranger)]), [404]);
  assert.deepEqual(await mine.list(), before);
  for (const role of ["MEMBER", "SECURITY"]) {
    const firewall = await as(role);
    assert.equal(outcome(await firewall.stage(toggle(role === "MEMBER"))), "ok");
    assert.equal(outcome(await firewall.activate("draft")), "ok");
  }
});
