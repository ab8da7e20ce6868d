// Holds as entries of a stream in Redis, one for each project: gates read them as they come, and those of the last hour when they start.
// https://redis.io/docs/latest/develop/data-types/streams/
import type { HoldAction } from "../../evaluator/counting.ts";
import type { CounterScope } from "./counter-store.ts";

/** No hold is longer, so older entries have no effect. */
export const MAX_HOLD_MS = 3_600_000;
/** About as many as a gate has counters. */
const MAX_ENTRIES = "100000";

export function holdStream(scope: CounterScope): string {
  return `${scope}:holds`;
}

/** Within the script: `KEYS[1]` is the stream, `rule`, `client`, `action` and `forMs` the hold. */
export const ADD_HOLD = `redis.call('XADD', KEYS[1], 'MAXLEN', '~', ${MAX_ENTRIES}, '*', 'rule', rule, 'client', client, 'action', action, 'ms', text(forMs))
      redis.call('PEXPIRE', KEYS[1], ${MAX_HOLD_MS})`;

/** The same from outside the script. */
export function addHold(scope: CounterScope, rule: string, digest: string, action: string, forMs: number): string[][] {
  const entry = ["rule", rule, "client", digest, "action", action, "ms", String(forMs)];
  return [
    ["XADD", holdStream(scope), "MAXLEN", "~", MAX_ENTRIES, "*", ...entry],
    ["PEXPIRE", holdStream(scope), String(MAX_HOLD_MS)],
  ];
}

export interface HoldEntry {
  readonly id: string;
  readonly rule: string;
  readonly digest: string;
  readonly action: HoldAction;
  /** ms since the epoch by the store's clock. */
  readonly endsAt: number;
}

const ACTIONS: ReadonlySet<string | undefined> = new Set<HoldAction>(["deny", "challenge", "rate_limit"]);

/** Null: no gate of this version has written it. */
export function readEntry(id: string, fields: readonly string[]): HoldEntry | null {
  const pairs = Array.from({ length: fields.length / 2 }, (_, at) => [fields[2 * at], fields[2 * at + 1]] as const);
  const { rule, client, action, ms } = Object.fromEntries(pairs) as Readonly<Record<string, string | undefined>>;
  const forMs = Number(ms);
  const isWhole = rule && client && ACTIONS.has(action) && forMs > 0 && forMs <= MAX_HOLD_MS;
  if (!isWhole) return null;
  return { id, rule, digest: client, action: action as HoldAction, endsAt: Number.parseInt(id, 10) + forMs };
}
