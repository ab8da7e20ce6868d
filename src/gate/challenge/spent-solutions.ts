// Remembers which challenges were redeemed, so that each of them buys one pass.
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";

export interface SpentSolutions {
  /**
   * Whether this id was not spent before; it is afterwards, at least until `until` (ms since the epoch). Of many callers at
   * once, one gets true.
   */
  spend(id: string, until: number): Promise<boolean> | boolean;
}

/** About 20 MB. */
const MAX_SPENT = 200_000;

interface SpentSettings {
  readonly clock: Clock;
  readonly max?: number;
}

/**
 * In the memory of one process. Beyond `max` it forgets the oldest: who replays one of those has a pass that ends minutes later, and
 * people who solve a new one are not turned away.
 */
export function createSpentSolutions({ clock, max = MAX_SPENT }: SpentSettings): SpentSolutions {
  // Challenges live equally long, so the order of insertion is nearly the order of their ends.
  const ends = new Map<string, number>();
  function forget(): void {
    const now = clock();
    for (const [id, until] of ends) {
      if (until > now && ends.size <= max) return;
      ends.delete(id);
    }
  }
  return {
    spend(id, until) {
      if (ends.has(id)) return false;
      ends.set(id, until);
      forget();
      return true;
    },
  };
}
