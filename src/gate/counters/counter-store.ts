// What gates share: counters, holds and spent challenges, as a store keeps them for all of them.
import type { BegunHold, CountQuery } from "../../firewall/evaluator/awaited-counters.ts";
import type { Count } from "../../firewall/evaluator/counting.ts";

/** A decision waits this long for the store, in all. */
export const STORE_DEADLINE_MS = 50;

/** Counters of one project: the prefix of its keys. */
export type CounterScope = string;

export function counterScope({ ownerId, projectId }: { readonly ownerId: string; readonly projectId: string }): string {
  return `reeve:${ownerId}:${projectId}`;
}

export interface CounterStore {
  /** False: the store is away, and asking it is of no use. */
  readonly isUp: boolean;
  /** Why it is away, in words; null: it is not. */
  readonly problem: string | null;
  /**
   * Counts a request for each query in turn, up to the first that decides. Holds who exceeds a limit that holds. Null: the store
   * did not answer before `deadline`, a time of `performance.now()`.
   */
  count(scope: CounterScope, queries: readonly CountQuery[], deadline: number): Promise<readonly Count[] | null>;
  /** Tells all gates of a hold that no count began. */
  publish(scope: CounterScope, begun: Omit<BegunHold, "hold">, action: string, forMs: number): void;
  /** Whether the id was not spent before; it is afterwards, for so long. Null: the store does not say. */
  spend(id: string, forMs: number): Promise<boolean | null>;
}
