// What `npm run fuzz` runs: a fuzzer makes things up from a seed, so many at a time.
import { openTestApp } from "../harness/test-app.ts";
import { FUZZ_SETTINGS, Session } from "./session.ts";

export interface Fuzzer {
  /** What the fuzzer counts. */
  readonly unit: string;
  /** One round; of a failure what to do about it. Stops when the time is over, but makes a failure small first. */
  run(seed: number, leftMs: number): Promise<{ readonly count: number; readonly failure: string | null }>;
}

const REQUESTS_PER_SEED = 4_000;

/** Requests to an instance of their own. */
export const requestFuzzer: Fuzzer = {
  unit: "requests",
  async run(seed, leftMs) {
    const api = await openTestApp(FUZZ_SETTINGS);
    try {
      const { requests, failure } = await new Session(api).run(seed, REQUESTS_PER_SEED, leftMs);
      return { count: requests, failure };
    } finally {
      await api.remove();
    }
  },
};
