// What all chains come to, for those who watch an instance. There may be millions of owners and no index has the answer, so
// it is added up in small steps with long pauses, now and then, and only while somebody asks.
import { setTimeout as pause } from "node:timers/promises";
import { MINUTE_MS } from "../kernel/clock.ts";
import { singly } from "../kernel/singly.ts";
import type { Tx } from "../kernel/tx.ts";
import { sumHeads } from "../resources/events/verify-store.ts";

export interface ChainTotals {
  readonly chains: number;
  readonly events: number;
  readonly longest: number;
  readonly lastEventAt: number;
}

const HEADS_AT_ONCE = 1_000;
/** Between steps of about a millisecond. */
const PAUSE_MS = 50;
const KEPT_MS = MINUTE_MS;

/** Answers the totals; those of a minute ago at most when few chains are all that there are. */
export function createChainTotals(reader: Tx): () => Promise<ChainTotals> {
  let known: { readonly at: number; readonly totals: ChainTotals } | undefined;

  const addUp = singly(async () => {
    let totals: ChainTotals = { chains: 0, events: 0, longest: 0, lastEventAt: 0 };
    for (let afterId = ""; ;) {
      const step = await sumHeads(reader, { afterId, limit: HEADS_AT_ONCE });
      const { chains = 0, events = 0, longest = 0, lastEventAt = 0, lastId = null } = step ?? {};
      totals = {
        chains: totals.chains + chains,
        events: totals.events + events,
        longest: Math.max(totals.longest, longest),
        lastEventAt: Math.max(totals.lastEventAt, lastEventAt),
      };
      if (chains < HEADS_AT_ONCE || lastId === null) break;
      afterId = lastId;
      await pause(PAUSE_MS, undefined, { ref: false });
    }
    known = { at: performance.now(), totals };
    return totals;
  });

  return async () => {
    if (known && performance.now() - known.at < KEPT_MS) return known.totals;
    const next = addUp();
    if (!known) return await next;
    next.catch(() => undefined);
    return known.totals;
  };
}
