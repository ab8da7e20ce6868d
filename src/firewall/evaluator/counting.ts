// Counts one request by fixed window or token bucket, in whole numbers, so that nothing is rounded. The gate's store of shared counters
// does the same in its own language (src/gate/counters/count-script.ts).

export type HoldAction = "deny" | "challenge" | "rate_limit";

/** A rate limit of a rule, as its requests are counted. */
export interface Limit {
  /** Id of the rule. */
  readonly rule: string;
  /** Prefix of the keys of its counters. */
  readonly key: string;
  readonly algo: "fixed_window" | "token_bucket";
  readonly windowMs: number;
  readonly limit: number;
  /** How a client that exceeds it is held; null: it is not. */
  readonly hold: { readonly key: string; readonly action: HoldAction; readonly forMs: number } | null;
  /** Whether the rules after it still apply to a client that exceeds it. */
  readonly continues: boolean;
}

interface Expiring {
  /** ms since the epoch; from then on the counter is treated as absent. */
  readonly endsAt: number;
}

/** Requests in the window that began at `startsAt`. */
interface WindowCounter extends Expiring {
  readonly kind: "window";
  readonly startsAt: number;
  readonly count: number;
}

/** A token bucket as of `at`. A token has as many fractions as the window has milliseconds, and `level` counts those. */
interface BucketCounter extends Expiring {
  readonly kind: "bucket";
  readonly at: number;
  readonly level: number;
}

export type RateCounter = WindowCounter | BucketCounter;

/** What counting a request came to. */
export interface Count {
  readonly isExceeded: boolean;
  /** ms until the client may try again; 0 unless the limit is exceeded. */
  readonly waitMs: number;
  /** Requests in the window including this one, or whole tokens left. */
  readonly count: number;
  /** The client turned out to be held, with this action for `waitMs`, and the request was not counted. */
  readonly held?: HoldAction;
}

export interface Counted {
  readonly counter: RateCounter;
  readonly count: Count;
}

function countWindow({ windowMs, limit }: Limit, known: RateCounter | undefined, now: number): Counted {
  const startsAt = Math.floor(now / windowMs) * windowMs;
  const endsAt = startsAt + windowMs;
  const count = known?.kind === "window" && known.startsAt === startsAt ? known.count + 1 : 1;
  const isExceeded = count > limit;
  return {
    counter: { kind: "window", startsAt, count, endsAt },
    count: { isExceeded, waitMs: isExceeded ? endsAt - now : 0, count },
  };
}

/** `limit` fractions of a token arrive per millisecond. */
function countTokens({ windowMs: token, limit }: Limit, known: RateCounter | undefined, now: number): Counted {
  const capacity = limit * token;
  // At most the time that fills the bucket, so that the numbers stay exact.
  const elapsed = known?.kind === "bucket" ? Math.min(token, Math.max(0, now - known.at)) : token;
  const before = known?.kind === "bucket" ? Math.min(capacity, known.level + elapsed * limit) : capacity;
  const isExceeded = before < token;
  const level = isExceeded ? before : before - token;
  return {
    counter: { kind: "bucket", at: now, level, endsAt: now + Math.ceil((capacity - level) / limit) },
    count: {
      isExceeded,
      waitMs: isExceeded ? Math.ceil((token - before) / limit) : 0,
      count: Math.floor(level / token),
    },
  };
}

/** `known` is the counter of the client, unless it has expired. */
export function countRequest(limit: Limit, known: RateCounter | undefined, now: number): Counted {
  return limit.algo === "token_bucket" ? countTokens(limit, known, now) : countWindow(limit, known, now);
}
