// Compiles a rule: it repeats a held decision, matches conditions, counts requests and returns its effect.
import type { Cause, Outcome } from "./decision.ts";
import { compileGroups, isMatching } from "./condition.ts";
import type { CompiledGroup, SharedConditions } from "./condition.ts";
import type { ActionDuration, Mitigation, Rule } from "./config.ts";
import type { Counters } from "./counters.ts";
import type { HoldAction, Limit } from "./counting.ts";
import { addressClient, compileClient, compileLimit } from "./rate-limit.ts";
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
  /** Names its holds; null when the rule holds no clients. */
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

/** How long a hold can last, in ms. */
export const HOLD_MS: readonly number[] = Object.values(DURATIONS_MS);

const NOT_MATCHED: Effect = { outcome: "not_matched", action: null };

/** The action of a rule without a rate limit. */
function plainAction(mitigation: Mitigation | undefined): EffectAction | null {
  if (!mitigation) return "log";
  return mitigation.action === "rate_limit" ? null : mitigation.action;
}

function exceededAction(action: NonNullable<Mitigation["rateLimit"]>["action"]): EffectAction {
  return action === "" || action === null || action === undefined ? "rate_limit" : action;
}

/** Whether it logs at most, whatever it finds. */
export function onlyLogs({ mitigation }: Pick<CompiledRule, "mitigation">): boolean {
  const limited = mitigation?.action === "rate_limit" ? mitigation.rateLimit : undefined;
  return plainAction(mitigation) === "log" || limited?.action === "log";
}

function isHolding(action: EffectAction | null): action is HoldAction {
  return action === "deny" || action === "challenge" || action === "rate_limit";
}

interface Holding {
  readonly key: string;
  readonly forMs: number;
  /** Null: the client is unknown, so it cannot be held. */
  clientOf(request: RequestView): string | null;
}

interface Limiting {
  readonly action: EffectAction;
  readonly limit: Limit;
  clientOf(request: RequestView): string;
}

function limitingOf(id: string, { action, rateLimit, actionDuration }: Partial<Mitigation>): Limiting | null {
  if (action !== "rate_limit" || !rateLimit) return null;
  const { algo, window, keys } = rateLimit;
  const exceeded = exceededAction(rateLimit.action);
  const hold =
    actionDuration && isHolding(exceeded)
      ? {
          key: JSON.stringify(["hold", id, action, algo, window, keys]),
          action: exceeded,
          forMs: DURATIONS_MS[actionDuration],
        }
      : null;
  return {
    action: exceeded,
    limit: { ...compileLimit(id, rateLimit), hold, continues: exceeded === "log" },
    clientOf: compileClient(keys),
  };
}

function holdingOf(id: string, mitigation: Mitigation | undefined, limiting: Limiting | null): Holding | null {
  if (limiting) return limiting.limit.hold && { ...limiting.limit.hold, clientOf: limiting.clientOf };
  const { action, actionDuration } = mitigation ?? {};
  if (!actionDuration || !isHolding(plainAction(mitigation))) return null;
  return {
    key: JSON.stringify(["hold", id, action]),
    forMs: DURATIONS_MS[actionDuration],
    clientOf: (request) => addressClient(request) ?? null,
  };
}

export function compileRule(rule: Rule, shared: SharedConditions): CompiledRule {
  const mitigation = rule.action.mitigate;
  const groups = compileGroups(rule.conditionGroup, shared);
  const limiting = limitingOf(rule.id, mitigation ?? {});
  const holding = holdingOf(rule.id, mitigation, limiting);
  const action = plainAction(mitigation);
  const matched: Effect = { outcome: action === null ? "under_limit" : "matched", action };

  /** Holds the client when the rule has a duration. Returns the effect, with the time that the hold lasts. */
  function holdClient(effect: Effect, client: string | null, counters: Counters, now: number): Effect {
    if (!holding || client === null || !isHolding(effect.action)) return effect;
    counters.hold(holding.key, client, { action: effect.action, endsAt: now + holding.forMs }, now);
    return { ...effect, waitMs: holding.forMs };
  }

  return {
    source: rule,
    cause: { phase: "rule", id: rule.id, name: rule.name },
    mitigation,
    groups,
    holdKey: holding?.key ?? null,
    apply(request, counters, now) {
      const client = holding ? holding.clientOf(request) : null;
      const hold = holding && client !== null ? counters.findHold(holding.key, client, now) : undefined;
      if (hold) return { outcome: "held", action: hold.action, waitMs: hold.endsAt - now };
      if (!isMatching(groups, request)) return NOT_MATCHED;
      if (!limiting) return holdClient(matched, client, counters, now);
      const { isExceeded, waitMs, count, held } = counters.count(limiting.limit, limiting.clientOf(request), now);
      if (held) return { outcome: "held", action: held, waitMs };
      if (!isExceeded) return { outcome: "under_limit", action: null, count };
      return holdClient({ outcome: "matched", action: limiting.action, waitMs, count }, client, counters, now);
    },
  };
}
