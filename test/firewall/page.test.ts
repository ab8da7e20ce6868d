// Both interpreters decide every example of docs/firewall.md as expected, so that their agreement proves something.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCounters } from "../../src/firewall/evaluator/counters.ts";
import { compileConfiguration, decide } from "../../src/firewall/evaluator/evaluator.ts";
import { compileProtectionContext } from "../../src/firewall/evaluator/protection-context.ts";
import { createNaiveCounters } from "./naive/counters.ts";
import { interpret } from "./naive/interpreter.ts";
import { PAGE_EXAMPLES } from "./page-examples.ts";

const START_MS = 1_700_000_040_000;
const QUIET = { isAttackMode: false, bypasses: [] };

for (const { name, configuration, context = QUIET, requests } of PAGE_EXAMPLES) {
  test(name, () => {
    const counters = createCounters();
    const naiveCounters = createNaiveCounters();
    const compiled = compileConfiguration(configuration);
    const known = compileProtectionContext(context);
    for (const [attributes, expected, atSeconds = 0] of requests) {
      const now = START_MS + atSeconds * 1000;
      const naive = interpret(configuration, context, attributes, naiveCounters, now);
      assert.partialDeepStrictEqual(naive, expected, `naive: ${JSON.stringify(attributes)}`);
      assert.partialDeepStrictEqual(
        decide(compiled, known, attributes, counters, now),
        expected,
        JSON.stringify(attributes),
      );
    }
  });
}
