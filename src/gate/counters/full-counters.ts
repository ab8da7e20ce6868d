// Counts and says when a project has more counters or holds than are kept, which a flood of made-up clients leads to.
import type { CounterObserver } from "../../firewall/evaluator/counters.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { GateLog } from "../gate-log.ts";

export interface FullCountersObserver {
  /** Counters of the project that were forgotten before their end. */
  evicted(project: string, counters: number): void;
  /** A hold of the project that did not begin. */
  notHeld(project: string): void;
}

/** Keys of limits and holds name their rule. */
function ruleIn(key: string): unknown {
  return (JSON.parse(key) as readonly unknown[])[1];
}

/** Each of both is said at most once a minute. */
export function watchCounters(
  project: string,
  { evicted, notHeld }: FullCountersObserver,
  clock: () => number,
  log: GateLog,
): CounterObserver {
  const saidAt = new Map<string, number>();

  function say(key: string, message: string): void {
    const last = saidAt.get(message);
    // A clock that goes back silences nobody.
    if (last !== undefined && Math.abs(clock() - last) < MINUTE_MS) return;
    saidAt.set(message, clock());
    log.warn({ project, rule: ruleIn(key) }, message);
  }

  return {
    evicted(key, counters) {
      evicted(project, counters);
      say(
        key,
        "too many clients to count: the rule forgets those of which it has heard least lately, and counts them from zero",
      );
    },
    notHeld(key) {
      notHeld(project);
      say(key, "too many clients are held: the rule decides about further ones, and does not hold them");
    },
  };
}
