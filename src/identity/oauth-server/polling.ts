// How often a program may ask for the token of a device code. RFC 8628, section 3.5
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";

/** A program waits for so long between two requests, ms. */
export const POLL_INTERVAL_MS = 5 * SECOND_MS;
/** Each request that comes too early makes the interval longer by this, ms. */
const SLOW_DOWN_MS = 5 * SECOND_MS;
/** A timer of the client may fire a little early. */
const TOLERANCE_MS = SECOND_MS / 2;
/** As many codes as there may be. */
const MOST_WATCHED = 5_000;

interface Poll {
  at: number;
  intervalMs: number;
}

/** Notes a request for the code with this hash; false: it came too early. Each process counts for itself, like the rate limit. */
export type RecordPoll = (hash: string) => boolean;

export function createPolling(clock: Clock): RecordPoll {
  const polls = new Map<string, Poll>();
  return (hash) => {
    const now = clock();
    const last = polls.get(hash);
    // Inserted again, so that the first entry is the one that was asked for the longest time ago.
    polls.delete(hash);
    const [oldest] = polls.keys();
    if (oldest !== undefined && polls.size >= MOST_WATCHED) polls.delete(oldest);
    const isEarly = last !== undefined && now >= last.at && now - last.at < last.intervalMs - TOLERANCE_MS;
    const intervalMs = (last?.intervalMs ?? POLL_INTERVAL_MS) + (isEarly ? SLOW_DOWN_MS : 0);
    polls.set(hash, { at: now, intervalMs });
    return !isEarly;
  };
}
