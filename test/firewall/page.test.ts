// The naive interpreter says what docs/firewall.md does, so that its agreement with the evaluator proves something.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createNaiveCounters } from "./naive-counters.ts";
import { interpret } from "./naive-interpreter.ts";
import { PAGE_EXAMPLES } from "./page-examples.ts";

const START_MS = 1_700_000_040_000;
const QUIET = { isAttackMode: false, bypasses: [] };

for (const { name, configuration, surroundings = QUIET, requests } of PAGE_EXAMPLES) {
  test(name, () => {
    const counters = createNaiveCounters();
    for (const [facts, expected, atSeconds = 0] of requests) {
      const decision = interpret(configuration, surroundings, facts, counters, START_MS + atSeconds * 1000);
      assert.partialDeepStrictEqual(decision, expected, JSON.stringify(facts));
    }
  });
}
