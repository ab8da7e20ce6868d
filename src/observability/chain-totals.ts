// What all chains come to, for those who watch an instance. There may be millions of owners and no index has the answer, so
// it is added up in small steps with pauses, now and then, and only while somebody asks. Nobody waits for more than a step.
import { setTimeout as pause } from "node:timers/promises";
import { MINUTE_MS } from "../kernel/scheduling/clock.ts";
import type { Tx } from "../kernel/tx.ts";
import { sumHeads } from "../resources/events/verify/verify-store.ts";

export interface ChainTotals {
  readonly chains: number;
  readonly events: number;
  readonly longest: number;
  readonly lastEventAt: number;
}

const HEADS_AT_ONCE = 1_000;
/** A pause is so many times as long as the step before it. */
const PAUSE_FACTOR = 9;
const KEPT_MS = MINUTE_MS;

const NONE: ChainTotals = { chains: 0, events: 0, longest: 0, lastEventAt: 0 };

interface Sum {
  readonly totals: ChainTotals;
  /** The last chain that was added; null when none is left. */
  readonly lastId: string | null;
  readonly tookMs: number;
}

async function addStep(reader: Tx, totals: ChainTotals, afterId: string): Promise<Sum> {
  const startedAt = performance.now();
  const step = await sumHeads(reader, { afterId, limit: HEADS_AT_ONCE });
  const { chains = 0, events = 0, longest = 0, lastEventAt = 0, lastId = null } = step ?? {};
  return {
    totals: {
      chains: totals.chains + chains,
      events: totals.events + events,
      longest: Math.max(totals.longest, longest),
      lastEventAt: Math.max(totals.lastEventAt, lastEventAt),
    },
    lastId: chains < HEADS_AT_ONCE ? null : lastId,
    tookMs: performance.now() - startedAt,
  };
}

/** Answers the totals as they were when they were last added up; undefined until that was done once. */
export function createChainTotals(reader: Tx): () => Promise<ChainTotals | undefined> {
  let known: { readonly at: number; readonly totals: ChainTotals } | undefined;
  let isAdding = false;

  async function addRest(first: Sum): Promise<void> {
    let sum = first;
    while (sum.lastId !== null) {
      await pause(sum.tookMs * PAUSE_FACTOR, undefined, { ref: false });
      sum = await addStep(reader, sum.totals, sum.lastId);
    }
    known = { at: performance.now(), totals: sum.totals };
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
    // What fails here is begun anew by the next scrape, which then hears of it.
    const rest = addRest(first)
      .catch(() => undefined)
      .finally(end);
    if (first.lastId === null) await rest;
  }

  return async () => {
    if (!isAdding && !(known && performance.now() - known.at < KEPT_MS)) await addUp();
    return known?.totals;
  };
}
