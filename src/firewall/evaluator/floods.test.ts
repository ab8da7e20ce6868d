// A client that is held, or over its limit, sends requests that create counters and holds without end: it stays where it is.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configurationOf, ruleOf } from "../../../test/resources/evaluation.ts";
import type { Mitigation, RateLimit, Rule } from "./config.ts";
import { MAX_COUNTERS, MAX_HOLDS, createCounters } from "./counters.ts";
import type { CounterObserver } from "./counters.ts";
import { compileConfiguration, decide } from "./evaluator.ts";
import { compileProtectionContext } from "./protection-context.ts";
import type { RequestAttributes } from "./request/attributes.ts";

const CALM = compileProtectionContext({ isAttackMode: false, bypasses: [] });
const FLOOD = MAX_COUNTERS + 32;
const HELD = { ip: "203.0.113.9" };

const limiting = (id: string, rateLimit: Partial<RateLimit>, mitigation: Partial<Mitigation> = {}): Rule =>
  ruleOf(id, {
    action: "rate_limit",
    rateLimit: { algo: "fixed_window", window: 3_600, limit: 10, keys: ["ip"], action: "deny", ...rateLimit },
    ...mitigation,
  });
const FOR_AN_HOUR = { actionDuration: "1h" } as const;
const TRAP = ruleOf("trap", { action: "deny", ...FOR_AN_HOUR }, [{ type: "path", op: "eq", value: "/trap" }]);

function siteOf(rules: readonly Rule[], observer?: CounterObserver) {
  const compiled = compileConfiguration(configurationOf({ rules }));
  const counters = createCounters({}, observer);
  let now = 0;
  const send = (attributes: Partial<RequestAttributes>) =>
    decide(compiled, CALM, { url: "/", ...HELD, ...attributes }, counters, now++);
  return { send, deciderOf: (attributes: Partial<RequestAttributes>) => send(attributes).by?.id };
}

type Send = (at: number) => Partial<RequestAttributes>;
const cookie: Send = (at) => ({ headers: { cookie: `sid=${at}` } });
const address: Send = (at) => ({ ip: `2001:db8:${(at >> 8).toString(16)}:${(at & 0xff).toString(16)}::1` });

interface Flood {
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly requests: Send;
}

const FLOODS: readonly Flood[] = [
  { name: "cookies", rules: [limiting("a", { keys: ["cookie:sid"] })], requests: cookie },
  {
    name: "parameters",
    rules: [limiting("a", { keys: ["query:sid"] })],
    requests: (at) => ({ url: `/?sid=${at}` }),
  },
  {
    name: "headers, by token buckets",
    rules: [limiting("a", { keys: ["header:x-id"], algo: "token_bucket" })],
    requests: (at) => ({ headers: { "x-id": String(at) } }),
  },
  { name: "paths", rules: [limiting("a", { keys: ["path"] })], requests: (at) => ({ url: `/${at}` }) },
  { name: "addresses of IPv6 networks", rules: [limiting("a", {})], requests: address },
  {
    name: "cookies that are held",
    rules: [limiting("a", { keys: ["cookie:sid"], limit: 1 }, FOR_AN_HOUR)],
    requests: (at) => cookie(at >> 1),
  },
  {
    name: "addresses that are held",
    rules: [],
    requests: (at) => ({ ...address(at), url: "/trap" }),
  },
];

describe("a flood", () => {
  for (const { name, rules, requests } of FLOODS) {
    it(`of ${name} frees nobody who is held, and leaves places`, () => {
      const slow = ruleOf("slow", { action: "challenge", ...FOR_AN_HOUR }, [
        { type: "path", op: "eq", value: "/slow" },
      ]);
      const { send, deciderOf } = siteOf([...rules, TRAP, slow]);
      assert.equal(deciderOf({ url: "/trap" }), "trap");
      for (let at = 0; at < FLOOD; at++) send(requests(at));
      const next = (at: number) => ({ ...requests(2 * (FLOOD + at)), ...HELD, url: "/" });
      assert.equal(deciderOf(next(1)), "trap");
      const late = { ip: "203.0.113.10" };
      assert.equal(deciderOf({ ...next(2), ...late, url: "/slow" }), "slow");
      assert.equal(deciderOf({ ...next(3), ...late }), "slow", "a hold of another rule that begins afterwards");
    });
  }

  it("frees nobody whom the same rule holds", () => {
    const { send, deciderOf } = siteOf([limiting("a", { keys: ["cookie:sid"], limit: 1 }, FOR_AN_HOUR)]);
    const first = { headers: { cookie: "sid=first" } };
    send(first);
    assert.equal(deciderOf(first), "a");
    for (let at = 0; at < 2 * FLOOD; at++) send(cookie(at >> 1));
    assert.equal(deciderOf(first), "a");
  });

  it("by one rule costs another rule no counter within its share", () => {
    const b = limiting("b", { algo: "token_bucket", limit: 2 });
    const onB = [{ conditions: [{ type: "path", op: "eq", value: "/b" } as const] }];
    const rules = [{ ...b, conditionGroup: onB }, limiting("a", { keys: ["cookie:sid"] })];
    const told: string[] = [];
    const { send, deciderOf } = siteOf(rules, { evicted: (rule) => void told.push(rule), notHeld() {} });
    const others = Array.from({ length: 40_000 }, (_, at) => ({ url: "/b", ip: `10.0.${at >> 8}.${at & 0xff}` }));
    for (const other of [...others, ...others]) send({ ...other, ...cookie(0) });
    for (let at = 0; at < 3 * FLOOD; at++) send(cookie(at));
    assert.ok(told.length > 0 && told.every((rule) => rule.includes('"a"')), told.join());
    for (const other of others) assert.equal(deciderOf(other), "b");
  });

  it("of holds is decided all the same, and what is not stored is told with its rule", () => {
    const told = new Map<string, number>();
    const notHeld = (rule: string) => void told.set(rule, (told.get(rule) ?? 0) + 1);
    const { send } = siteOf([TRAP], { evicted() {}, notHeld });
    for (let at = 0; at < FLOOD; at++) assert.equal(send({ ...address(at), url: "/trap" }).action, "deny");
    assert.deepEqual([...told], [[JSON.stringify(["hold", "trap", "deny"]), FLOOD - MAX_HOLDS / 2]]);
  });
});
