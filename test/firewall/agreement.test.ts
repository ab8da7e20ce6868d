// The compiled evaluator decides 30 000 requests that match, miss and nearly match as the naive interpreter does.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CONDITION_TYPES, OPERATORS } from "../../src/firewall/evaluator/config.ts";
import { DECISIONS, PHASES } from "../../src/firewall/evaluator/decision.ts";
import { checkScenario, scenarios, type Watcher } from "./agreement.ts";
import { anyConfiguration, storableConfiguration } from "./arbitraries.ts";
import { COUNTEREXAMPLES } from "./counterexamples.ts";
import { request, start } from "./requests.ts";

const SCENARIOS = 600;
const REQUESTS = 50;
const SEED = 20_260_101;
// Shrinking a counterexample may take long. After this time every smaller one passes, which ends the shrinking.
const SHRINKING_MS = 60_000;

/** The minimum shares of all decisions, in percent. With less, agreement would prove little. */
const FLOORS = {
  allow: 20,
  deny: 8,
  challenge: 5,
  redirect: 2,
  rate_limit: 1,
  bypass: 3,
  attack_mode: 2,
  ip: 2,
  rule: 20,
  managed: 1,
  held: 2,
  logged: 10,
  retry: 3,
} as const;

test("the evaluator and the naive interpreter agree on 30 000 requests", () => {
  const seen = new Map<string, number>();
  const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  let pairs = 0;
  const watcher: Watcher = {
    condition: ({ type, op }, isHolding) => {
      note(`${type} ${isHolding}`);
      note(`${op} ${isHolding}`);
    },
    decision: ({ action, by, isHeld, logged, retryAfter }) => {
      pairs++;
      note(action);
      if (by) note(by.phase);
      if (isHeld) note("held");
      if (logged.length > 0) note("logged");
      if (retryAfter !== undefined) note("retry");
    },
  };
  const configuration = fc.oneof(
    { weight: 4, arbitrary: storableConfiguration },
    { weight: 1, arbitrary: anyConfiguration },
  );
  let failedAt = Number.POSITIVE_INFINITY;
  fc.assert(
    fc.property(scenarios(configuration, request, start, REQUESTS), (scenario) => {
      if (performance.now() - failedAt > SHRINKING_MS) return;
      try {
        checkScenario(scenario, watcher);
      } catch (error) {
        failedAt = Math.min(failedAt, performance.now());
        throw error;
      }
    }),
    { numRuns: SCENARIOS, seed: SEED },
  );
  assert.equal(pairs, SCENARIOS * REQUESTS);
  for (const [what, percent] of Object.entries(FLOORS)) {
    const share = (100 * (seen.get(what) ?? 0)) / pairs;
    assert.ok(share >= percent, `${what}: expected ${percent} % of the decisions, got ${share.toFixed(1)} %`);
  }
  for (const name of [...DECISIONS, ...PHASES]) assert.ok(name in FLOORS, name);
  for (const name of [...CONDITION_TYPES, ...OPERATORS]) {
    for (const outcome of ["true", "false"]) {
      const times = seen.get(`${name} ${outcome}`) ?? 0;
      assert.ok(times >= 30, `conditions with ${name} that are ${outcome}: ${times}`);
    }
  }
});

test("earlier counterexamples are decided alike", () => {
  for (const scenario of COUNTEREXAMPLES) checkScenario(scenario);
});
