// Holds the firewall's evaluator against the naive interpreter with fresh seeds, for `npm run fuzz`.
import fc from "fast-check";
import type { Fuzzer } from "../fuzz/fuzzer.ts";
import { checkScenario, scenarios, type Scenario } from "./agreement.ts";
import { anyConfiguration, storableConfiguration } from "./arbitraries.ts";
import { absurdStart, hostileRequest } from "./hostile-requests.ts";
import { request, start } from "./requests.ts";

const SCENARIOS_PER_SEED = 25;
const REQUESTS = 50;
const SHRINKING_MS = 30_000;

const anything = fc.oneof(storableConfiguration, anyConfiguration);
const KINDS: readonly (readonly [name: string, arbitrary: fc.Arbitrary<Scenario>])[] = [
  ["storable configurations", scenarios(storableConfiguration, request, start, REQUESTS)],
  ["any configurations", scenarios(anyConfiguration, request, start, REQUESTS)],
  ["hostile requests", scenarios(anything, hostileRequest, start, REQUESTS)],
  ["absurd times", scenarios(anything, request, absurdStart, REQUESTS)],
];

function describeFailure(name: string, outcome: fc.RunDetails<[Scenario]>): string {
  const { numShrinks, errorInstance, counterexample } = outcome;
  return [
    `${name}, made small in ${numShrinks} steps`,
    errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
    "An entry for COUNTEREXAMPLES in test/firewall/counterexamples.ts:",
    JSON.stringify(counterexample?.[0], null, 1),
  ].join("\n");
}

export const firewallFuzzer: Fuzzer = {
  unit: "pairs of a configuration and a request",
  async run(seed, leftMs) {
    let count = 0;
    for (const [name, arbitrary] of KINDS) {
      const outcome = fc.check(
        fc.property(arbitrary, (scenario) => {
          checkScenario(scenario);
          count += scenario.requests.length;
        }),
        { numRuns: SCENARIOS_PER_SEED, seed, interruptAfterTimeLimit: leftMs + SHRINKING_MS },
      );
      // Interrupted before the first one it counts as failed, too.
      if (outcome.failed && outcome.counterexample !== null) return { count, failure: describeFailure(name, outcome) };
    }
    return { count, failure: null };
  },
};
