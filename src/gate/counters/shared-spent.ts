// Challenges that are spent once over all gates that share a store.
import type { SpentSolutions } from "../challenge/spent-solutions.ts";
import type { CounterStore } from "./counter-store.ts";

/** `own` decides while the store is away, and knows what was spent at this gate before. */
export function createSharedSpent(store: CounterStore, own: SpentSolutions, clock: () => number): SpentSolutions {
  return {
    async spend(id, until) {
      if (!(await own.spend(id, until))) return false;
      return (await store.spend(id, until - clock())) ?? true;
    },
  };
}
