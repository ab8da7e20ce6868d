// Scenarios that the evaluator and the naive interpreter once decided differently, as `npm run fuzz` prints them.
import type { Scenario } from "./agreement.ts";

export const COUNTEREXAMPLES: readonly Scenario[] = [];
