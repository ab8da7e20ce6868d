// The life of a draft: changes are staged one by one, the draft shows the result, and it is activated as one version or
// discarded. Its changes are applied to the version that is active at the time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ENFORCED_BY } from "../evaluator/config.ts";
import { CRS_OFF, denyPath, openFirewall, outcome, saidBy } from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startTestApp();
const { clock, createUser, readEvents } = client;

async function ownFirewall() {
  const user = await createUser();
  return { user, firewall: openFirewall(client, user.token) };
}

const namesOf = ({ rules }: Body) => rules.map(({ name }: Body) => name).join(" ");
const insert = (name: string, more: object = {}) => ({ action: "rules.insert", value: denyPath(name, more) });
const now = () => new Date(clock.now).toISOString();

test("a draft starts from the active configuration, and shows its changes and their result", async () => {
  const { user, firewall } = await ownFirewall();
  const active = await firewall.set({ rules: [denyPath("a", { id: "a" })] });
  clock.advance(1_000);
  const first = await firewall.stage({ ...insert("b"), note: "two rules" });
  assert.equal(first.status, 200, first.text);
  clock.advance(1_000);
  const second = await firewall.stage({ action: "rules.remove", id: "a" });
  const { rules, changes, ...rest } = second.body;
  assert.deepEqual(rules, first.body.rules.slice(1));
  const { id, ...value } = saidBy(first.body).rules[1];
  assert.match(id, /^rule_/);
  assert.deepEqual(changes, [
    { action: "rules.insert", id, value: { id, ...value } },
    { action: "rules.remove", id: "a", value: null },
  ]);
  assert.deepEqual(rest, {
    ownerId: user.id,
    projectKey: "default",
    id: "draft",
    version: 2,
    updatedAt: now(),
    firewallEnabled: true,
    crs: CRS_OFF,
    ips: [],
    note: "two rules",
    basedOn: 1,
    changeCount: 2,
    cost: 1,
    createdBy: { id: user.id, name: user.username },
    enforcedBy: ENFORCED_BY,
  });
  assert.deepEqual([first.headers["etag"], second.headers["etag"]], ['"2"', '"3"']);
  const read = await firewall.get("draft");
  assert.deepEqual([read.body, read.headers["etag"]], [second.body, '"3"']);
  // None of it is active.
  assert.deepEqual(await firewall.list(), {
    active,
    draft: second.body,
    versions: [active],
    pagination: { count: 1, next: null, prev: clock.now - 2_000 },
  });
});

test("activating a draft creates one version of all its changes, with its note unless another is given", async () => {
  const { user, firewall } = await ownFirewall();
  await firewall.set({ rules: [denyPath("a")] });
  for (const note of [undefined, "by hand"]) {
    await firewall.stage({ ...insert("b"), note: "staged" });
    const draft = (await firewall.stage({ action: "botId.toggle", value: note === undefined })).body;
    clock.advance(1_000);
    const { status, body, headers } = await firewall.activate("draft", note === undefined ? undefined : { note });
    assert.equal(status, 200);
    assert.deepEqual(saidBy(body), saidBy(draft));
    const { version, basedOn, changes, changeCount, updatedAt, createdBy } = body;
    assert.deepEqual(
      { version, basedOn, changes, changeCount, updatedAt },
      { version: draft.version, basedOn: draft.version - 1, changes: [], changeCount: 2, updatedAt: now() },
    );
    assert.deepEqual([body.note, headers["etag"]], [note ?? "staged", `"${version}"`]);
    assert.deepEqual(createdBy, { id: user.id, name: user.username });
    assert.deepEqual(await firewall.read(), body);
    for (const response of [await firewall.get("draft"), await firewall.activate("draft"), await firewall.discard()]) {
      assert.equal(outcome(response), "not_found");
    }
  }
});

test("a discarded draft is gone with all its changes, and the next one starts anew", async () => {
  const { firewall } = await ownFirewall();
  const active = await firewall.set();
  await firewall.stage({ ...insert("a"), note: "old" });
  const discarded = await firewall.discard();
  assert.deepEqual([discarded.status, discarded.text], [204, ""]);
  const { draft, active: still, versions } = await firewall.list();
  assert.deepEqual([draft, still, versions.length], [null, active, 1]);
  const { rules, changes, note } = (await firewall.stage(insert("b"))).body;
  assert.deepEqual([rules[0].name, changes.length, note], ["b", 1, null]);
});

test("the first change of a project may be a draft", async () => {
  const { firewall } = await ownFirewall();
  const { body } = await firewall.stage({ action: "firewallEnabled", value: true });
  assert.deepEqual([body.version, body.basedOn, body.changeCount, body.changes.length], [1, null, 0, 1]);
  assert.equal((await firewall.get()).status, 404);
  assert.deepEqual(await firewall.diff("previous", "draft"), { from: null, to: 1, differences: [] });
  await firewall.stage(insert("a"));
  const { version, rules } = (await firewall.activate("draft", {})).body;
  assert.deepEqual([version, rules[0].name], [1, "a"]);
});

test("the changes of a draft are applied to the version that became active meanwhile, of which nothing is lost", async () => {
  const { firewall } = await ownFirewall();
  await firewall.set({ rules: [denyPath("a", { id: "a" }), denyPath("b", { id: "b" })] });
  await firewall.stage(insert("staged", { id: "staged" }));
  await firewall.stage({ action: "rules.priority", id: "staged", value: 0 });
  await firewall.stage({ action: "rules.update", id: "b", value: denyPath("B") });
  await firewall.patch(insert("live"));
  await firewall.patch({ action: "rules.remove", id: "a" });
  const draft = await firewall.read("draft");
  assert.deepEqual([namesOf(draft), draft.version, draft.basedOn], ["staged B live", 4, 3]);
  assert.equal("conflicts" in draft, false);
  await firewall.activate(1);
  const rolledBack = await firewall.read("draft");
  assert.deepEqual([namesOf(rolledBack), rolledBack.version, rolledBack.basedOn], ["staged a B", 4, 1]);
  const { version, basedOn } = (await firewall.activate("draft")).body;
  assert.deepEqual([version, basedOn, namesOf(await firewall.read())], [4, 1, "staged a B"]);
});

test("a change that no longer applies is shown as a conflict, blocks the draft, and is discarded with it", async () => {
  const { firewall } = await ownFirewall();
  const shared = { id: "shared", name: "s", active: true, conditionGroup: [] };
  const sharing = [{ conditions: [{ type: "shared_condition", op: "eq", value: "shared" }] }];
  await firewall.set({ rules: [denyPath("a", { id: "a" })], conditions: [shared] });
  await firewall.stage({ action: "rules.update", id: "a", value: denyPath("A") });
  await firewall.stage(insert("b", { id: "b" }));
  await firewall.stage({ action: "rules.priority", id: "b", value: 0 });
  await firewall.stage(insert("c", { conditionGroup: sharing }));
  // The updated rule is gone, the inserted id is in use, and the shared condition is missing.
  const active = await firewall.set({ rules: [denyPath("other", { id: "b" })] });
  const before = await firewall.read("draft");
  assert.deepEqual(
    before.conflicts.map(({ index, message }: Body) => [index, message.split(":")[0]]),
    [
      [0, "Rule not found"],
      [1, "value.id"],
      [3, "value.conditionGroup[0].conditions[0].value"],
    ],
  );
  assert.deepEqual([namesOf(before), before.changes.length, before.changeCount], ["other", 4, 0]);
  for (const response of [await firewall.activate("draft"), await firewall.stage(insert("d"))]) {
    assert.deepEqual([response.status, response.body.error.code], [409, "draft_conflict"]);
    assert.deepEqual(response.body.error.conflicts, before.conflicts);
    assert.match(response.body.error.message, /^the draft's change 0 \(rules\.update of a\) can't be made/);
  }
  assert.deepEqual([await firewall.read(), await firewall.read("draft")], [active, before]);
  // A version on which the changes apply again resolves the conflict.
  await firewall.activate(1);
  assert.equal("conflicts" in (await firewall.read("draft")), false);
  await firewall.activate(2);
  assert.equal((await firewall.discard()).status, 204);
  assert.equal(namesOf((await firewall.stage(insert("d"))).body), "other d");
});

test("activating a draft without effect creates no version and discards the draft, with an event", async () => {
  const { user, firewall } = await ownFirewall();
  const active = await firewall.set();
  await firewall.stage({ action: "firewallEnabled", value: false });
  const { changes, changeCount } = (await firewall.stage({ action: "firewallEnabled", value: true })).body;
  assert.deepEqual([changes.length, changeCount], [2, 0]);
  const { body, headers } = await firewall.activate("draft");
  assert.deepEqual([body, headers["etag"]], [active, '"1"']);
  assert.equal((await firewall.get("draft")).status, 404);
  assert.equal((await firewall.list()).versions.length, 1);
  const { type, text } = (await readEvents(user.id)).at(-1) ?? {};
  const sentence = `${user.username} activated a draft without effect of the firewall of default`;
  assert.deepEqual([type, text], ["firewall-draft-discarded", sentence]);
});

test("the note of a draft is the last one given, and may change alone", async () => {
  const { firewall } = await ownFirewall();
  await firewall.set();
  const toggle = { action: "botId.toggle", value: true };
  assert.equal((await firewall.stage({ ...toggle, note: "one" })).body.note, "one");
  assert.equal((await firewall.stage(insert("a"))).body.note, "one");
  assert.equal((await firewall.stage({ ...toggle, note: "two" })).body.note, "two");
  assert.equal((await firewall.read("draft")).note, "two");
  assert.equal((await firewall.stage({ ...toggle, note: null })).body.note, null);
  assert.equal((await firewall.activate("draft", { note: null })).body.note, null);
});

test("switches that a draft changes have the stamp of its last author", async () => {
  const { user, firewall } = await ownFirewall();
  await firewall.set({ managedRules: { ai_bots: { active: true } } });
  clock.advance(1_000);
  await firewall.stage({ action: "managedRules.update", id: "owasp", value: { active: true } });
  const stamp = { updatedAt: now(), userId: user.id, username: user.username };
  clock.advance(1_000);
  const { ai_bots: bots, owasp } = (await firewall.activate("draft")).body.managedRules;
  assert.deepEqual(owasp, { active: true, ...stamp });
  assert.equal(Date.parse(owasp.updatedAt) - Date.parse(bots.updatedAt), 1_000);
});

test("a draft has at most a thousand changes and a megabyte of them", async () => {
  const { user, firewall } = await ownFirewall();
  await firewall.set();
  const rulesOf = (length: number) => ({
    ...denyPath("big", { id: "big" }),
    conditionGroup: Array.from({ length: 20 }, () => ({
      conditions: Array.from({ length: 10 }, () => ({ type: "path", op: "eq", value: "v".repeat(length) })),
    })),
  });
  assert.equal(outcome(await firewall.stage({ action: "rules.insert", value: rulesOf(2_000) })), "ok");
  assert.equal(outcome(await firewall.stage({ action: "rules.update", id: "big", value: rulesOf(1_900) })), "ok");
  const over = await firewall.stage({ action: "rules.update", id: "big", value: rulesOf(1_800) });
  assert.deepEqual([over.status, outcome(over)], [400, "draft_too_large"]);
  assert.equal((await firewall.read("draft")).changes.length, 2);
  await firewall.discard();
  await firewall.stage(insert("a"));
  const toggles = Array.from({ length: 999 }, (_, index) => ({
    action: "ja3Enabled",
    id: null,
    value: index % 2 === 1,
  }));
  await client.withStore(({ admin }) =>
    admin.exec(`update firewalls set draft_changes = '${JSON.stringify(toggles)}' where owner_id = '${user.id}'`),
  );
  assert.equal(outcome(await firewall.stage({ action: "ja4Enabled", value: true })), "ok");
  assert.equal(outcome(await firewall.stage({ action: "ja4Enabled", value: false })), "draft_too_large");
  assert.equal((await firewall.read("draft")).changes.length, 1_000);
});

test("a draft can change a configuration of the largest size", async () => {
  const { firewall } = await ownFirewall();
  await firewall.set({ rules: [denyPath("a", { id: "a" })], rulesets: { pad: "p".repeat(998_500) } });
  assert.equal(outcome(await firewall.stage({ action: "rules.remove", id: "a", note: "n".repeat(500) })), "ok");
  const large = insert("large", {
    description: "d".repeat(200),
    conditionGroup: Array.from({ length: 20 }, () => denyPath("x").conditionGroup[0]),
  });
  const over = await firewall.stage(large);
  assert.equal(outcome(over), "invalid_firewall");
  assert.match(over.body.error.message, /^body: expected a configuration of at most 1000000 bytes/);
  assert.equal((await firewall.activate("draft")).body.version, 2);
});
