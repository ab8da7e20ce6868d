// Joins the entries of consecutive minutes to runs.
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Count } from "./sum-rules.ts";
import { minuteOf } from "./sum-rules.ts";

/** Requests of consecutive minutes that have all other attributes in common. */
export interface Run extends Omit<Count, "minute"> {
  /** The first minute and the last one. */
  readonly first: number;
  readonly last: number;
}

type Mutable = { -readonly [K in keyof Run]: Run[K] };

/** The latest runs, newest first. Expects `entries` newest first. */
export function joinMinutes(entries: readonly Count[], limit: number): Run[] {
  const open = new Map<string, Mutable>();
  const runs: (Mutable & { readonly key: string })[] = [];
  for (const { minute, count, ...rest } of entries) {
    const key = JSON.stringify([rest.host, rest.ip, rest.action, rest.ruleId]);
    const run = open.get(key);
    if (run && run.first === minute + MINUTE_MS) {
      run.first = minute;
      run.count += count;
    } else {
      const next = { ...rest, first: minute, last: minute, count, key };
      open.set(key, next);
      runs.push(next);
    }
  }
  return runs.toSorted((a, b) => b.last - a.last || b.count - a.count || (a.key < b.key ? -1 : 1)).slice(0, limit);
}

/** Whether more requests of a run may be reported: its last minute is the current or the previous one. */
export function isRunning({ last }: Run, now: number): boolean {
  return last >= minuteOf(now) - MINUTE_MS;
}
