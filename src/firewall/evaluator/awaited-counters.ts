// Counters of an evaluation whose requests are counted elsewhere, later than it asks. A count without an answer is taken to be under its
// limit and noted: when the answers are all under their limits, the decision stands; otherwise the request is evaluated again with them.
import { readOnly } from "./counters.ts";
import type { Counters, Hold, LocalCounters } from "./counters.ts";
import type { Count, Limit } from "./counting.ts";

export interface CountQuery {
  readonly limit: Limit;
  readonly client: string;
}

/** A hold that an evaluation began. It counts if the evaluation's decision does. */
export interface BegunHold {
  /** The hold key of the rule. */
  readonly rule: string;
  readonly client: string;
  readonly hold: Hold;
}

export interface AwaitedCounters extends Counters {
  /** Counts without an answer, in the order in which the evaluation came to them. */
  readonly unanswered: readonly CountQuery[];
  readonly begun: readonly BegunHold[];
}

/** Of one request, which is counted once for each limit. */
export interface Answers {
  /** By the key of the limit. */
  readonly counts: ReadonlyMap<string, Count>;
  /** The hold keys of these limits: the counts say already whether they hold the client. */
  readonly holds: ReadonlySet<string>;
}

export const NO_ANSWERS: Answers = { counts: new Map(), holds: new Set() };

export function addAnswers(known: Answers, queries: readonly CountQuery[], counts: readonly Count[]): Answers {
  const answered = queries.slice(0, counts.length);
  return {
    counts: new Map([...known.counts, ...answered.map(({ limit }, at) => [limit.key, counts[at] as Count] as const)]),
    holds: new Set([...known.holds, ...answered.flatMap(({ limit: { hold } }) => hold?.key ?? [])]),
  };
}

const UNDER_LIMIT: Count = { isExceeded: false, waitMs: 0, count: 0 };

/** `holds` knows who is held, and is not told of further holds. */
export function createAwaitedCounters(holds: Counters, answers: Answers): AwaitedCounters {
  const unanswered: CountQuery[] = [];
  const begun: BegunHold[] = [];
  return {
    unanswered,
    begun,
    // A hold that the count began may have become known meanwhile; the decision is the one that began it.
    findHold: (rule, client, now) => (answers.holds.has(rule) ? undefined : holds.findHold(rule, client, now)),
    hold(rule, client, hold) {
      begun.push({ rule, client, hold });
    },
    count(limit, client) {
      const answer = answers.counts.get(limit.key);
      if (!answer) unanswered.push({ limit, client });
      return answer ?? UNDER_LIMIT;
    },
    holdingRules: () => holds.holdingRules(),
  };
}

/** Counters as they were when a request was counted, for what explains its decision afterwards. They ignore writes. */
export function countersOf(answers: Answers, counters: LocalCounters): LocalCounters {
  const now = readOnly(counters);
  return {
    ...now,
    findHold: (rule, client, at) => (answers.holds.has(rule) ? undefined : now.findHold(rule, client, at)),
    count: (limit, client, at) => answers.counts.get(limit.key) ?? now.count(limit, client, at),
  };
}

/** Whether the counts are what an evaluation without them took them for. */
export function areUnderLimit(queries: readonly CountQuery[], counts: readonly Count[]): boolean {
  return counts.length === queries.length && counts.every(({ isExceeded, held }) => !isExceeded && !held);
}
