// If an application reads a value under a name, either the rule on that name saw the value, or the gate refused the request: generated
// requests through a gate to real applications. LABORATORY_SEED and LABORATORY_MS are for `npm run fuzz -- laboratory`.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { KINDS } from "./kinds.ts";
import { requestsOf } from "./kinds/kind.ts";
import { describeDisagreement, startLaboratory } from "./laboratory.ts";

const FIXED_SEED = 20_261_127;
/** Of each kind, besides the requests that it begins with. */
const GENERATED = 30;

const { LABORATORY_SEED: freshSeed, LABORATORY_MS: freshMs } = process.env;
const laboratory = await startLaboratory();

describe("rules see what applications read", { concurrency: true }, () => {
  for (const kind of KINDS) {
    it(kind.name, async () => {
      const readers = new Set<string>();
      const property = fc.asyncProperty(requestsOf(kind), async (request) => {
        const [found] = await laboratory.findDisagreements(request, readers);
        if (found) throw new Error(describeDisagreement(found));
      });
      const outcome = await fc.check(
        property,
        freshSeed === undefined
          ? {
              seed: FIXED_SEED,
              numRuns: kind.seeds.length + GENERATED,
              examples: kind.seeds.map((request) => [request] as const),
            }
          : { seed: Number(freshSeed), numRuns: 1_000_000, interruptAfterTimeLimit: Number(freshMs) },
      );
      // Interrupted before the first request it counts as failed, too.
      if (outcome.failed && outcome.counterexample !== null) throw outcome.errorInstance;
      // An application that reads nothing would never disagree.
      const silent = kind.readers.filter((name) => !readers.has(name));
      if (freshSeed === undefined) assert.deepEqual(silent, []);
    });
  }

  after(() => {
    const { requests, readings, disagreements } = laboratory.counts;
    const names = Object.keys(laboratory.applications);
    console.log(
      `counts: ${requests} requests to ${names.length} applications (${names.join(", ")}), ${readings} values read that rules deny, disagreements: ${disagreements}`,
    );
  });
});
