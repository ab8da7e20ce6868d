// A bundle is compiled without holding up the process, and what ends by itself ends by the clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RE2JS } from "re2js";
import { configurationOf, ruleOf } from "../../test/resources/evaluation.ts";
import type { Bundle } from "../firewall/evaluator/bundle.ts";
import type { Condition, Rule } from "../firewall/evaluator/config.ts";
import { createCounters } from "../firewall/evaluator/counters.ts";
import { compileProtection } from "./protection.ts";
import type { Protection } from "./protection.ts";

function bundleOf(rules: readonly Rule[], parts: Partial<Bundle> = {}): Bundle {
  return {
    ownerId: "team",
    projectId: "shop",
    configuration: { version: 1, ...configurationOf({ rules }) },
    attackMode: { isEnabled: false, activeUntil: null },
    bypasses: [],
    bypassRules: [],
    challengeKeys: [],
    ...parts,
  };
}

/** Counts the turns of the event loop until the work is done. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const turn = () => {
    if (isDone) return;
    turns++;
    setImmediate(turn);
  };
  setImmediate(turn);
  await work;
  isDone = true;
  return turns;
}

test("expressions are compiled beforehand, and other work gets a turn after each 5 ms", async (t) => {
  const conditions = Array.from({ length: 60 }, (_, at): Condition => ({
    type: "path",
    op: "re",
    value: `^/a{${at}}`,
  }));
  const bundle = bundleOf([ruleOf("all", { action: "deny" }, conditions)]);
  const compiling = t.mock.method(RE2JS, "compile");
  let now = 10;
  const clock = t.mock.method(performance, "now", () => now);
  assert.equal(await countTurns(compileProtection(bundle, 0)), 0, "no time passes");
  assert.equal(compiling.mock.callCount(), 60);
  clock.mock.mockImplementation(() => now++);
  let protection: Protection | undefined;
  const work = compileProtection(bundle, 0).then((compiled) => (protection = compiled));
  // Each look takes a millisecond, so that each sixth expression waits. It ends when the tenth of them has waited.
  assert.equal(await countTurns(work), 9);
  clock.mock.mockImplementation(() => now);
  assert.equal(protection?.decide({ url: `/${"a".repeat(60)}` }, createCounters(), 0).action, "deny");
  assert.equal(compiling.mock.callCount(), 120, "no request compiles one");
});

test("of an expression that cannot be compiled only the requests fail that need it", async () => {
  const broken: Condition = { type: "query", key: "q", op: "re", value: "(" };
  const expression: Condition = { type: "path", op: "re", value: "^/admin" };
  const { decide } = await compileProtection(
    bundleOf([ruleOf("broken", { action: "deny" }, [broken]), ruleOf("admin", { action: "deny" }, [expression])]),
    0,
  );
  const actionOf = (url: string) => decide({ url }, createCounters(), 0).action;
  assert.deepEqual([actionOf("/admin"), actionOf("/")], ["deny", "allow"]);
  assert.throws(() => actionOf("/?q=1"), /expected an RE2 expression/);
});

test("attack challenge mode and entries of the bypass list end by the clock, and each time they are compiled once", async () => {
  let times = 0;
  const entry = (domain: string, expiresAt: number | null) => ({ domain, ip: null, expiresAt });
  const bundle: Bundle = {
    ...bundleOf([]),
    configuration: null,
    attackMode: { isEnabled: true, activeUntil: 3_000 },
    get bypasses() {
      times++;
      return [entry("a.test", 1_000), entry("b.test", 2_000), entry("c.test", null)];
    },
  };
  const { decide } = await compileProtection(bundle, 0);
  const passing = (now: number) =>
    ["a", "b", "c", "d"]
      .filter((name) => decide({ url: `https://${name}.test/` }, createCounters(), now).action === "allow")
      .join("");
  for (const [now, expected, compiled] of [
    [0, "abc", 1],
    [999, "abc", 1],
    [1_000, "bc", 2],
    [1_999, "bc", 2],
    [2_000, "c", 3],
    [2_999, "c", 3],
    [3_000, "abcd", 4],
    [1e12, "abcd", 4],
    [500, "abc", 5],
  ] as const) {
    assert.deepEqual([passing(now), times], [expected, compiled], `at ${now} ms`);
  }
  const lasting = await compileProtection(bundleOf([], { attackMode: { isEnabled: true, activeUntil: null } }), 0);
  assert.equal(lasting.decide({ url: "/" }, createCounters(), 1e12).action, "challenge");
});

test("the body is needed where a rule decides by it, and in attack mode where a bypass rule does", async () => {
  const onToken: Condition = { type: "body", key: "token", op: "eq", value: "right" };
  const upload: Condition = { type: "path", op: "eq", value: "/upload" };
  const bypassRules = [{ domain: "hooks.test", conditionGroup: [{ conditions: [upload, onToken] }] }];
  const attacked = { isEnabled: true, activeUntil: 1_000 };
  const needing = async (rules: readonly Rule[], parts: Partial<Bundle>) => {
    const protection = await compileProtection(bundleOf(rules, parts), 0);
    const urls = ["https://hooks.test/upload", "https://hooks.test/", "https://shop.test/upload", "https://shop.test/"];
    return [999, 1_000].map((now) => urls.map((url) => Number(protection.needsBody({ url }, now))).join(""));
  };
  const rule = ruleOf("token", { action: "deny" }, [upload, onToken]);
  assert.deepEqual(await needing([], {}), ["0000", "0000"]);
  assert.deepEqual(await needing([rule], {}), ["1010", "1010"]);
  assert.deepEqual(await needing([], { bypassRules }), ["0000", "0000"]);
  assert.deepEqual(await needing([], { bypassRules, attackMode: attacked }), ["1000", "0000"]);
  assert.deepEqual(await needing([rule], { bypassRules, attackMode: attacked }), ["1010", "1010"]);
});
