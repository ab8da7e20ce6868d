// The differences between two configurations: the fewest steps that turn one into the other, each with both values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { denyPath, openFirewall, outcome } from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startTestApp();
const { createUser } = client;

const ownFirewall = async () => openFirewall(client, (await createUser()).token);
const rule = (id: string, more: object = {}) => denyPath(id, { id, ...more });
const rules = (ids: string) => ({ rules: Array.from(ids, (id) => rule(id)) });
const entry = (id: string, action = "deny") => ({ id, hostname: "*", ip: "192.0.2.1", action });

test("each difference is listed once, with the values before and after", async () => {
  const firewall = await ownFirewall();
  const on = { active: true, action: "deny" };
  const off = { active: false, action: "log" };
  const shared = { id: "s", name: "s", active: true, conditionGroup: [] };
  await firewall.set({
    ...rules("ab"),
    ips: [entry("x")],
    crs: { xss: on },
    logHeaders: "*",
    rulesets: { a: 1 },
    conditions: [shared],
    managedRules: { owasp: { active: true } },
  });
  await firewall.set({
    firewallEnabled: false,
    rules: [rule("a", { name: "A" }), rule("c")],
    ips: [entry("x", "log"), entry("y")],
    crs: { sd: on },
    ja3Enabled: false,
    rulesets: { a: 2 },
    conditions: [{ ...shared, active: false }],
  });
  const { managedRules } = await firewall.read(1);
  const forward: Body[] = [
    { kind: "changed", part: "firewallEnabled", before: true, after: false },
    { kind: "removed", part: "logHeaders", before: "*" },
    { kind: "added", part: "ja3Enabled", after: false },
    { kind: "changed", part: "rulesets", before: { a: 1 }, after: { a: 2 } },
    { kind: "changed", part: "crs", id: "sd", before: off, after: on },
    { kind: "changed", part: "crs", id: "xss", before: on, after: off },
    { kind: "removed", part: "managedRules", id: "owasp", before: managedRules.owasp },
    { kind: "removed", part: "rules", id: "b", before: rule("b") },
    { kind: "changed", part: "rules", id: "a", before: rule("a"), after: rule("a", { name: "A" }) },
    { kind: "added", part: "rules", id: "c", after: rule("c") },
    { kind: "changed", part: "ips", id: "x", before: entry("x"), after: entry("x", "log") },
    { kind: "added", part: "ips", id: "y", after: entry("y") },
    { kind: "changed", part: "conditions", id: "s", before: shared, after: { ...shared, active: false } },
  ];
  assert.deepEqual(await firewall.diff(1, 2), { from: 1, to: 2, differences: forward });
  assert.equal((await firewall.read()).changeCount, forward.length);
  const back = await firewall.diff(2, 1);
  assert.deepEqual([back.from, back.to, back.differences.length], [2, 1, forward.length]);
  const opposite: Body = { added: "removed", removed: "added", changed: "changed" };
  const inOrder = (differences: readonly Body[]) =>
    differences.toSorted((a, b) => (`${a.part} ${a.id}` < `${b.part} ${b.id}` ? -1 : 1));
  assert.deepEqual(
    inOrder(back.differences),
    inOrder(
      forward.map(({ kind, before, after, ...rest }) => ({
        ...rest,
        kind: opposite[kind],
        ...(after === undefined ? {} : { before: after }),
        ...(before === undefined ? {} : { after: before }),
      })),
    ),
  );
});

test("the fewest items move, each with its positions before and after", async () => {
  const moves: readonly (readonly [
    before: string,
    after: string,
    moved: readonly (readonly [string, number, number])[],
  ])[] = [
    ["abcd", "abcd", []],
    ["abcd", "bcda", [["a", 0, 3]]],
    ["abcd", "dabc", [["d", 3, 0]]],
    ["abcde", "aebcd", [["e", 4, 1]]],
    ["abcdef", "abdefc", [["c", 2, 5]]],
    // Added and removed items do not move the others.
    ["abcd", "xbdy", []],
    ["abc", "cxab", [["c", 2, 0]]],
  ];
  for (const [before, after, moved] of moves) {
    const firewall = await ownFirewall();
    await firewall.set(rules(before));
    await firewall.set(rules(after));
    const { differences } = await firewall.diff("previous", "active");
    const found = differences.filter(({ kind }: Body) => kind === "moved");
    assert.deepEqual(
      found.map(({ kind, part, id, from, to, after: item }: Body) => [kind, part, id, from, to, item.id]),
      moved.map(([id, from, to]) => ["moved", "rules", id, from, to, id]),
      `${before} ${after}`,
    );
  }
  const firewall = await ownFirewall();
  await firewall.set(rules("abcdef"));
  await firewall.set(rules("fedcba"));
  assert.equal((await firewall.diff(1, 2)).differences.length, 5);
  await firewall.set({ rules: [rule("a", { name: "A" }), ...rules("fedcb").rules] });
  const kinds = (await firewall.diff(2, 3)).differences.map(({ kind, id }: Body) => `${kind} ${id}`);
  assert.deepEqual(kinds, ["changed a", "moved a"]);
});

test("any two configurations can be compared: versions, the active one, the draft, and the one that another is based on", async () => {
  const firewall = await ownFirewall();
  for (const ids of ["a", "ab", "abc"]) await firewall.set(rules(ids));
  await firewall.activate(1);
  await firewall.set(rules("ad"));
  await firewall.stage({ action: "rules.remove", id: "a" });
  const ends = async (from: string | number, to: string | number) => {
    const { from: first, to: last, differences } = await firewall.diff(from, to);
    return [first, last, differences.map(({ kind, id }: Body) => `${kind} ${id}`).join(" ")];
  };
  assert.deepEqual(await ends("previous", 1), [null, 1, "added a"]);
  assert.deepEqual(await ends("previous", 3), [2, 3, "added c"]);
  // The version that was active then, and not the one with the preceding number.
  assert.deepEqual(await ends("previous", "active"), [1, 4, "added d"]);
  assert.deepEqual(await ends(3, "active"), [3, 4, "removed b removed c added d"]);
  assert.deepEqual(await ends("active", 3), [4, 3, "removed d added b added c"]);
  assert.deepEqual(await ends("previous", "draft"), [4, 5, "removed a"]);
  assert.deepEqual(await ends("draft", "active"), [5, 4, "added a"]);
  assert.deepEqual(await ends("draft", "draft"), [5, 5, ""]);
  for (const path of ["/1/diff/9", "/9/diff/1"]) assert.equal(outcome(await firewall.call("GET", path)), "not_found");
  for (const path of ["/1/diff/previous", "/x/diff/1", "/0/diff/1"]) {
    assert.equal(outcome(await firewall.call("GET", path)), "invalid_path");
  }
  await firewall.discard();
  assert.equal(outcome(await firewall.call("GET", "/active/diff/draft")), "not_found");
});
