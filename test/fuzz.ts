// `npm run fuzz`: holds the firewall's evaluator against the naive interpreter with fresh seeds, for FUZZ_SECONDS (60).
// FUZZ_SEED begins at a known seed. Prints what it did, and of a failure the smallest scenario that shows it.
import fc from "fast-check";
import { checkScenario, scenarios, type Scenario } from "./firewall/agreement.ts";
import { anyConfiguration, storableConfiguration } from "./firewall/arbitraries.ts";
import { absurdStart, hostileRequest } from "./firewall/hostile-requests.ts";
import { request, start } from "./firewall/requests.ts";

const SCENARIOS_PER_SEED = 100;
const REQUESTS = 50;
const SHRINKING_MS = 30_000;

const anything = fc.oneof(storableConfiguration, anyConfiguration);
const KINDS: readonly (readonly [name: string, arbitrary: fc.Arbitrary<Scenario>])[] = [
  ["storable configurations", scenarios(storableConfiguration, request, start, REQUESTS)],
  ["any configurations", scenarios(anyConfiguration, request, start, REQUESTS)],
  ["hostile requests", scenarios(anything, hostileRequest, start, REQUESTS)],
  ["absurd times", scenarios(anything, request, absurdStart, REQUESTS)],
];

/** Milliseconds of a setting in seconds. */
function readSeconds(name: string, otherwise: number): number {
  const seconds = Number(process.env[name] ?? otherwise);
  if (!(seconds > 0)) throw new Error(`${name}: expected seconds above 0`);
  return seconds * 1000;
}

const durationMs = readSeconds("FUZZ_SECONDS", 60);
const startedAt = performance.now();
const elapsedMs = () => performance.now() - startedAt;
let seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 0x7fff_ffff);
let pairs = 0;
let seeds = 0;
console.log(`seed ${seed}, ${durationMs / 1000} s`);

while (elapsedMs() < durationMs && process.exitCode === undefined) {
  for (const [name, arbitrary] of KINDS) {
    const outcome = fc.check(
      fc.property(arbitrary, (scenario) => {
        checkScenario(scenario);
        pairs += scenario.requests.length;
      }),
      { numRuns: SCENARIOS_PER_SEED, seed, interruptAfterTimeLimit: durationMs - elapsedMs() + SHRINKING_MS },
    );
    if (!outcome.failed) continue;
    console.log(`FAIL ${name}, seed ${seed}, made small in ${outcome.numShrinks} steps`);
    console.log(outcome.errorInstance instanceof Error ? outcome.errorInstance.message : outcome.errorInstance);
    console.log(`An entry for COUNTEREXAMPLES in test/firewall/counterexamples.ts:`);
    console.log(JSON.stringify(outcome.counterexample?.[0], null, 1));
    process.exitCode = 1;
    break;
  }
  seed = (seed + 1) % 0x7fff_ffff;
  seeds++;
}
const perSecond = Math.round((pairs * 1000) / elapsedMs());
console.log(`${seeds} seeds, ${pairs} pairs of a configuration and a request, ${perSecond} per second`);
