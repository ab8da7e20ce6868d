// Compiles a rule: it repeats a held decision, matches conditions, counts requests and returns its effect.
import type { Cause, Outcome } from "./decision.ts";
import { compileGroups, isMatching } from "./condition.ts";
import type { CompiledGroup, SharedConditions } from "./condition.ts";
import type { ActionDuration, Mitigation, Rule } from "./config.ts";
import type { Counters, HoldAction } from "./counters.ts";
import { compileClient, compileCount } from "./rate-limit.ts";
import type { CountRequest } from "./rate-limit.ts";
import type { RequestView } from "./request/request.ts";

export type EffectAction = HoldAction | "redirect" | "bypass" | "log";

/** The result of applying a rule to a request. */
export interface Effect {
  readonly outcome: Exclude<Outcome, "inactive" | "skipped">;
  /** Null: none, and evaluation continues with the next rule. */
  readonly action: EffectAction | null;
  /** ms until the client may try again. */
  readonly waitMs?: number;
  readonly count?: number;
}

export interface CompiledRule {
  readonly source: Rule;
  readonly cause: Cause;
  readonly mitigation: Mitigation | undefined;
  readonly groups: readonly CompiledGroup[];
  /** Prefix of the keys of its holds; null when the rule holds no clients. */
  readonly holdKey: string | null;
  apply(request: RequestView, counters: Counters, now: number): Effect;
}

const MINUTE_MS = 60_000;
const DURATIONS_MS: Readonly<Record<ActionDuration, number>> = {
  "1m": MINUTE_MS,
  "5m": 5 * MINUTE_MS,
  "15m": 15 * MINUTE_MS,
  "30m": 30 * MINUTE_MS,
  "1h": 60 * MINUTE_MS,
};

const NOT_MATCHED: Effect = { outcome: "not_matched", action: null };

/** The action of a rule without a rate limit. */
function plainAction(mitigation: Mitigation | undefined): EffectAction | null {
  if (!mitigation) return "log";
  return mitigation.action === "rate_limit" ? null : mitigation.action;
}

function exceededAction(action: NonNullable<Mitigation["rateLimit"]>["action"]): EffectAction {
  return action === "" || action === null || action === undefined ? "rate_limit" : action;
}

function isHolding(action: EffectAction | null): action is HoldAction {
  return action === "deny" || action === "challenge" || action === "rate_limit";
}

interface Hold {
  readonly key: string;
  readonly forMs: number;
  /** Null: the client is unknown, so it cannot be held. */
  clientOf(request: RequestView): string | null;
}

interface Limiting {
  readonly action: EffectAction;
  readonly count: CountRequest;
  clientOf(request: RequestView): string;
}

function countingOf(id: string, mitigation: Mitigation | undefined): Limiting | null {
  const { action, rateLimit } = mitigation ?? {};
  if (action !== "rate_limit" || !rateLimit) return null;
  const { algo, window, keys } = rateLimit;
  return {
    action: exceededAction(rateLimit.action),
    count: compileCount(JSON.stringify(["count", id, algo, window, keys]), rateLimit),
    clientOf: compileClient(keys),
  };
}

function holdOf(id: string, mitigation: Mitigation | undefined, counting: Limiting | null): Hold | null {
  const { action, actionDuration, rateLimit } = mitigation ?? {};
  if (!actionDuration || !isHolding(counting ? counting.action : plainAction(mitigation))) return null;
  const forMs = DURATIONS_MS[actionDuration];
  if (counting) {
    const { algo, window, keys } = rateLimit as NonNullable<typeof rateLimit>;
    return { key: JSON.stringify(["hold", id, action, algo, window, keys]), forMs, clientOf: counting.clientOf };
  }
  return { key: JSON.stringify(["hold", id, action]), forMs, clientOf: ({ address }) => address?.join(".") ?? null };
}

export function compileRule(rule: Rule, shared: SharedConditions): CompiledRule {
  const mitigation = rule.action.mitigate;
  const groups = compileGroups(rule.conditionGroup, shared);
  const counting = countingOf(rule.id, mitigation);
  const hold = holdOf(rule.id, mitigation, counting);
  const action = plainAction(mitigation);
  const matched: Effect = { outcome: action === null ? "under_limit" : "matched", action };

  /** Stores a hold when the rule has a duration. Returns the effect, with the time that the hold lasts. */
  function holdClient(effect: Effect, client: string | null, counters: Counters, now: number): Effect {
    if (!hold || client === null || !isHolding(effect.action)) return effect;
    const endsAt = now + hold.forMs;
    counters.set(hold.key + client, { kind: "hold", action: effect.action, rule: hold.key, endsAt }, now);
    return { ...effect, waitMs: hold.forMs };
  }

  return {
    source: rule,
    cause: { phase: "rule", id: rule.id, name: rule.name },
    mitigation,
    groups,
    holdKey: hold?.key ?? null,
    apply(request, counters, now) {
      const client = hold ? hold.clientOf(request) : null;
      const held = hold && client !== null ? counters.get(hold.key + client, now) : undefined;
      if (held?.kind === "hold") return { outcome: "held", action: held.action, waitMs: held.endsAt - now };
      if (!isMatching(groups, request)) return NOT_MATCHED;
      if (!counting) return holdClient(matched, client, counters, now);
      const { isExceeded, waitMs, count } = counting.count(counters, counting.clientOf(request), now);
      if (!isExceeded) return { outcome: "under_limit", action: null, count };
      return holdClient({ outcome: "matched", action: counting.action, waitMs, count }, client, counters, now);
    },
  };
}
