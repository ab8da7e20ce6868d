// Evaluates with the counters of this gate, or with those of the store that gates share. Without a rate limit on its way, a request is
// decided at once in both cases.
import {
  NO_ANSWERS,
  addAnswers,
  areUnderLimit,
  createAwaitedCounters,
} from "../../firewall/evaluator/awaited-counters.ts";
import type { Answers, AwaitedCounters, BegunHold } from "../../firewall/evaluator/awaited-counters.ts";
import type { Counters, LocalCounters } from "../../firewall/evaluator/counters.ts";
import { clientDigest } from "./client-digest.ts";
import { STORE_DEADLINE_MS } from "./counter-store.ts";
import type { CounterScope, CounterStore } from "./counter-store.ts";

export interface Counted<T> {
  readonly result: T;
  /** The store was away, so that the request was counted by this gate alone. */
  readonly isLocal: boolean;
  /** What was counted for it. */
  readonly answers: Answers;
}

/** May be called twice for one request. It counts by these counters alone, and has no other effect. */
export type Evaluate<T> = (counters: Counters) => T;

export interface Counting {
  /** A promise only if something is counted in the store. It does not reject but for what `evaluate` throws. */
  run<T>(own: LocalCounters, scope: CounterScope, now: number, evaluate: Evaluate<T>): Counted<T> | Promise<Counted<T>>;
}

/** The counters of this gate when a store is set: holds of other gates come with digests of clients, so all have them. */
export function withDigests(own: LocalCounters): Counters {
  return {
    // Most rules hold nobody, so most clients need no digest.
    findHold: (rule, client, now) => (own.isHolding(rule) ? own.findHold(rule, clientDigest(client), now) : undefined),
    hold: (rule, client, hold, now) => own.hold(rule, clientDigest(client), hold, now),
    count: (limit, client, now) => own.count(limit, client, now),
    holdingRules: () => own.holdingRules(),
  };
}

const ALONE: Counting = {
  run(own, _scope, _now, evaluate) {
    let answers = NO_ANSWERS;
    const { findHold, hold, holdingRules } = own;
    const result = evaluate({
      findHold,
      hold,
      holdingRules,
      count(limit, client, now) {
        const count = own.count(limit, client, now);
        answers = addAnswers(answers, [{ limit, client }], [count]);
        return count;
      },
    });
    return { result, isLocal: false, answers };
  },
};

/** Without a store each gate counts by itself. */
export function createCounting(store: CounterStore | null): Counting {
  if (!store) return ALONE;
  const shared = store;

  function countAlone<T>(own: LocalCounters, answers: Answers, evaluate: Evaluate<T>): Counted<T> {
    let isLocal = false;
    let counted = answers;
    const holds = withDigests(own);
    const result = evaluate({
      ...holds,
      count(limit, client, now) {
        const answer = answers.counts.get(limit.key);
        if (answer) return answer;
        isLocal = true;
        const count = holds.count(limit, client, now);
        counted = addAnswers(counted, [{ limit, client }], [count]);
        return count;
      },
    });
    return { result, isLocal, answers: counted };
  }

  /** Holds whom an evaluation held that counts. Other gates know already of holds by limits that the store has counted. */
  function beginHolds(
    own: LocalCounters,
    scope: CounterScope,
    now: number,
    begun: readonly BegunHold[],
    known: Answers,
  ): void {
    const holds = withDigests(own);
    for (const { rule, client, hold } of begun) {
      holds.hold(rule, client, hold, now);
      if (!known.holds.has(rule)) shared.publish(scope, { rule, client }, hold.action, hold.endsAt - now);
    }
  }

  async function finish<T>(
    own: LocalCounters,
    scope: CounterScope,
    now: number,
    evaluate: Evaluate<T>,
    first: { readonly result: T; readonly counters: AwaitedCounters },
  ): Promise<Counted<T>> {
    const deadline = performance.now() + STORE_DEADLINE_MS;
    let answers = NO_ANSWERS;
    let { result, counters } = first;
    while (counters.unanswered.length > 0) {
      const queries = counters.unanswered;
      const counts = await shared.count(scope, queries, deadline);
      if (!counts || counts.length === 0) return countAlone(own, answers, evaluate);
      answers = addAnswers(answers, queries, counts);
      if (areUnderLimit(queries, counts)) break;
      counters = createAwaitedCounters(withDigests(own), answers);
      result = evaluate(counters);
    }
    beginHolds(own, scope, now, counters.begun, answers);
    return { result, isLocal: false, answers };
  }

  return {
    run(own, scope, now, evaluate) {
      if (!shared.isUp) return countAlone(own, NO_ANSWERS, evaluate);
      const counters = createAwaitedCounters(withDigests(own), NO_ANSWERS);
      const result = evaluate(counters);
      if (counters.unanswered.length > 0) return finish(own, scope, now, evaluate, { result, counters });
      if (counters.begun.length > 0) beginHolds(own, scope, now, counters.begun, NO_ANSWERS);
      return { result, isLocal: false, answers: NO_ANSWERS };
    },
  };
}
