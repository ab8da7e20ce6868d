// Gates that share a store decide together as one gate would alone, and ask it about what is counted only.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scenarios } from "../../../test/firewall/agreement.ts";
import { storableConfiguration } from "../../../test/firewall/arbitraries.ts";
import { request, start } from "../../../test/firewall/requests.ts";
import { configurationOf, ruleOf } from "../../../test/resources/evaluation.ts";
import type { CountQuery } from "../../firewall/evaluator/awaited-counters.ts";
import type { Configuration, Mitigation } from "../../firewall/evaluator/config.ts";
import { createCounters } from "../../firewall/evaluator/counters.ts";
import type { LocalCounters } from "../../firewall/evaluator/counters.ts";
import type { Count, HoldAction } from "../../firewall/evaluator/counting.ts";
import type { Decision } from "../../firewall/evaluator/decision.ts";
import { compileConfiguration, decide } from "../../firewall/evaluator/evaluator.ts";
import { compileProtectionContext } from "../../firewall/evaluator/protection-context.ts";
import type { RequestAttributes } from "../../firewall/evaluator/request/attributes.ts";
import { clientDigest } from "./client-digest.ts";
import type { CounterStore } from "./counter-store.ts";
import { createCounting } from "./counting.ts";
import type { Counted } from "./counting.ts";

const SCOPE = "reeve:team:project";
const CALM = compileProtectionContext({ isAttackMode: false, bypasses: [] });

/** A store in memory, and gates that hear of its holds at once. */
function createWorld(gates: number) {
  const kept = createCounters();
  const owns = Array.from({ length: gates }, () => createCounters());
  const asked: string[][] = [];
  const state = { now: 0, isUp: true, answers: true, tells: true };
  function tell(rule: string, client: string, action: HoldAction, endsAt: number): void {
    for (const own of state.tells ? owns : []) {
      const digest = clientDigest(client);
      if (!own.findHold(rule, digest, state.now)) own.hold(rule, digest, { action, endsAt }, state.now);
    }
  }
  function countOne({ limit, client }: CountQuery): Count {
    const { hold } = limit;
    const held = hold && kept.findHold(hold.key, client, state.now);
    if (held) return { isExceeded: false, waitMs: held.endsAt - state.now, count: 0, held: held.action };
    const count = kept.count(limit, client, state.now);
    if (count.isExceeded && hold) {
      const endsAt = state.now + hold.forMs;
      kept.hold(hold.key, client, { action: hold.action, endsAt }, state.now);
      tell(hold.key, client, hold.action, endsAt);
    }
    return count;
  }
  const store: CounterStore = {
    get isUp() {
      return state.isUp;
    },
    problem: null,
    async count(_scope, queries) {
      asked.push(queries.map(({ limit }) => limit.rule));
      await Promise.resolve();
      if (!state.answers) return null;
      const counts: Count[] = [];
      for (const query of queries) {
        const count = countOne(query);
        counts.push(count);
        if (count.held || (count.isExceeded && !query.limit.continues)) break;
      }
      return counts;
    },
    publish: (_scope, { rule, client }, action, forMs) => tell(rule, client, action as HoldAction, state.now + forMs),
    spend: async () => null,
  };
  const counting = createCounting(store);
  function ask(
    gate: number,
    evaluate: (counters: Parameters<typeof decide>[3]) => Decision,
  ): Counted<Decision> | Promise<Counted<Decision>> {
    return counting.run(owns[gate] as LocalCounters, SCOPE, state.now, evaluate);
  }
  return { state, asked, ask };
}

test("two gates with a store decide any requests in turn as one gate does alone", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      scenarios(storableConfiguration, request, start, 40),
      async ({ configuration, startMs, requests }) => {
        const compiled = compileConfiguration(configuration);
        const alone = createCounters();
        const { state, ask, asked } = createWorld(2);
        state.now = startMs;
        for (const [at, { attributes, pauseMs, context }] of requests.entries()) {
          state.now += pauseMs;
          const known = compileProtectionContext(context);
          const expected = decide(compiled, known, attributes, alone, state.now);
          const before = asked.length;
          const counted = ask(at % 2, (counters) => decide(compiled, known, attributes, counters, state.now));
          assert.equal(counted instanceof Promise, asked.length > before, "a promise exactly if the store was asked");
          const { result, isLocal } = await counted;
          assert.deepEqual({ result, isLocal }, { result: expected, isLocal: false }, `request ${at}`);
          seen
            .add(expected.action)
            .add(expected.isHeld ? "held" : "")
            .add(asked.length > before ? "asked" : "");
        }
      },
    ),
    { numRuns: 150, seed: 20_261_125 },
  );
  for (const what of ["rate_limit", "held", "asked", "deny", "challenge", "allow"]) assert.ok(seen.has(what), what);
});

const limiting = (id: string, limit: number, parts: object = {}, mitigation: Partial<Mitigation> = {}) =>
  ruleOf(id, {
    action: "rate_limit",
    rateLimit: { algo: "fixed_window", window: 60, limit, keys: ["ip"], ...parts },
    ...mitigation,
  });

function deciding(configuration: Configuration, world: ReturnType<typeof createWorld>) {
  const compiled = compileConfiguration(configuration);
  return (gate: number, attributes: Partial<RequestAttributes> = {}) =>
    world.ask(gate, (counters) =>
      decide(compiled, CALM, { url: "/", ip: "192.0.2.1", ...attributes }, counters, world.state.now),
    );
}

test("all limits on the way of a request are one question, and those after the one that decides are not counted", async () => {
  const world = createWorld(2);
  const decideAt = deciding(
    configurationOf({ rules: [limiting("log", 0, { action: "log" }), limiting("two", 2), limiting("three", 3)] }),
    world,
  );
  for (const gate of [0, 1]) assert.equal((await decideAt(gate)).result.action, "allow");
  assert.deepEqual(world.asked, [
    ["log", "two", "three"],
    ["log", "two", "three"],
  ]);
  for (const gate of [0, 1]) assert.equal((await decideAt(gate)).result.by?.id, "two");
  assert.equal(world.asked.length, 4);
  // "three" has counted two requests.
  world.state.now = 60_000;
  assert.equal((await decideAt(0)).result.action, "allow");
});

test("a hold that would begin after a limit does not begin when the limit decides", async () => {
  const world = createWorld(1);
  const onBad = [{ type: "path", op: "eq", value: "/bad" }] as const;
  const decideAt = deciding(
    configurationOf({
      rules: [limiting("limit", 0), ruleOf("bad", { action: "deny", actionDuration: "1h" }, [...onBad])],
    }),
    world,
  );
  assert.equal((await decideAt(0, { url: "/bad" })).result.by?.id, "limit");
  const free = configurationOf({ rules: [ruleOf("bad", { action: "deny", actionDuration: "1h" }, [...onBad])] });
  assert.equal((await deciding(free, world)(0)).result.action, "allow");
});

test("a gate that has not heard of a hold yet learns of it when it counts", async () => {
  const world = createWorld(2);
  world.state.tells = false;
  const decideAt = deciding(configurationOf({ rules: [limiting("limit", 1, {}, { actionDuration: "5m" })] }), world);
  const outcomes: unknown[] = [];
  for (const gate of [0, 0, 1]) {
    const { action, retryAfter, isHeld } = (await decideAt(gate)).result;
    outcomes.push([action, retryAfter, isHeld]);
    world.state.now += 1_000;
  }
  assert.deepEqual(outcomes, [
    ["allow", undefined, undefined],
    ["rate_limit", 300, undefined],
    ["rate_limit", 299, true],
  ]);
});

test("a request without an address is not held, also while others are", async () => {
  const bad = ruleOf("bad", { action: "deny", actionDuration: "1h" }, [{ type: "path", op: "eq", value: "/bad" }]);
  const decideAt = deciding(configurationOf({ rules: [bad] }), createWorld(1));
  const actionOf = async (attributes: Partial<RequestAttributes>) => (await decideAt(0, attributes)).result.action;
  assert.deepEqual([await actionOf({ url: "/bad" }), await actionOf({})], ["deny", "deny"]);
  assert.equal(await actionOf({ ip: "unknown" }), "allow");
});

test("while the store is away, and when it does not answer, the gate counts by itself and says so", async () => {
  const world = createWorld(1);
  const decideAt = deciding(configurationOf({ rules: [limiting("limit", 1, {}, { actionDuration: "1m" })] }), world);
  world.state.answers = false;
  const { result, isLocal, answers } = await decideAt(0);
  assert.deepEqual([result, isLocal], [{ action: "allow", status: null, by: null, logged: [] }, true]);
  assert.deepEqual(
    [...answers.counts.values()].map(({ count }) => count),
    [1],
  );
  world.state.isUp = false;
  const counted = decideAt(0);
  assert.ok(!(counted instanceof Promise), "at once");
  assert.deepEqual([counted.result.action, counted.isLocal, world.asked.length], ["rate_limit", true, 1]);
  // The hold of the time alone lasts when the store is back.
  Object.assign(world.state, { isUp: true, answers: true });
  const held = decideAt(0);
  assert.ok(!(held instanceof Promise));
  assert.deepEqual([held.result.isHeld, held.isLocal], [true, false]);
});
