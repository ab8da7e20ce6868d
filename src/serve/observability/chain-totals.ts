// The totals of all event chains, as metrics. There may be millions of owners and no index has the totals, so they are added up
// in small steps with pauses, once a minute at most, and only while somebody scrapes. A scrape waits for one step at most.
import { setTimeout as pause } from "node:timers/promises";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { sumHeads } from "../../events/events/verify/verify-store.ts";

export interface ChainTotals {
  readonly chains: number;
  readonly events: number;
  readonly longest: number;
  readonly lastEventAt: number;
}

const STEP_CHAINS = 1_000;
/** A pause is this many times as long as the step before it. */
const PAUSE_FACTOR = 9;
const CACHED_MS = MINUTE_MS;

const NONE: ChainTotals = { chains: 0, events: 0, longest: 0, lastEventAt: 0 };

interface Sum {
  readonly totals: ChainTotals;
  /** The last chain that was added; null after the last one of all. */
  readonly lastId: string | null;
  readonly tookMs: number;
}

async function addStep(reader: Tx, totals: ChainTotals, afterId: string): Promise<Sum> {
  const startedAt = performance.now();
  const step = await sumHeads(reader, { afterId, limit: STEP_CHAINS });
  const { chains = 0, events = 0, longest = 0, lastEventAt = 0, lastId = null } = step ?? {};
  return {
    totals: {
      chains: totals.chains + chains,
      events: totals.events + events,
      longest: Math.max(totals.longest, longest),
      lastEventAt: Math.max(totals.lastEventAt, lastEventAt),
    },
    lastId: chains < STEP_CHAINS ? null : lastId,
    tookMs: performance.now() - startedAt,
  };
}

/** Returns a function that reads the totals of the last sum; undefined until there is one. */
export function createChainTotals(reader: Tx): () => Promise<ChainTotals | undefined> {
  let cached: { readonly at: number; readonly totals: ChainTotals } | undefined;
  let isAdding = false;

  async function addRest(first: Sum): Promise<void> {
    let sum = first;
    while (sum.lastId !== null) {
      await pause(sum.tookMs * PAUSE_FACTOR, undefined, { ref: false });
      sum = await addStep(reader, sum.totals, sum.lastId);
    }
    cached = { at: performance.now(), totals: sum.totals };
  }

  async function addUp(): Promise<void> {
    isAdding = true;
    const end = () => void (isAdding = false);
    let first: Sum;
    try {
      first = await addStep(reader, NONE, "");
    } catch (error) {
      end();
      throw error;
    }
    // After a failure the next scrape begins a new sum, and reports a failure of its first step.
    const rest = addRest(first)
      .catch(() => undefined)
      .finally(end);
    if (first.lastId === null) await rest;
  }

  return async () => {
    if (!isAdding && !(cached && performance.now() - cached.at < CACHED_MS)) await addUp();
    return cached?.totals;
  };
}
