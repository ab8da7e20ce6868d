// Holds as entries of streams in Redis, by project and by how long they last: gates read them as they come, and those that last when
// they start. The oldest entry of a stream ends first, so an entry stays until its hold ends, and no longer.
// https://redis.io/docs/latest/develop/data-types/streams/
import { MAX_HOLDS } from "../../firewall/evaluator/counters.ts";
import type { HoldAction } from "../../firewall/evaluator/counting.ts";
import { HOLD_MS } from "../../firewall/evaluator/rule.ts";
import type { CounterScope } from "./counter-store.ts";

/** Ended holds that one new hold removes at most. */
const REMOVED = 100;

export interface HoldStream {
  readonly key: string;
  /** How long its holds last. */
  readonly forMs: number;
}

export function holdStreams(scope: CounterScope): readonly HoldStream[] {
  return HOLD_MS.map((forMs) => ({ key: `${scope}:holds:${forMs}`, forMs }));
}

/** The streams of a project, and beside each how many holds of each rule are in it. */
export function holdKeys(scope: CounterScope): readonly string[] {
  return holdStreams(scope).flatMap(({ key }) => [key, `${key}:rules`]);
}

/**
 * Within a script that begins with the keys of `holdKeys`, and has `now` and `text`. Takes a hold as the counters of a gate do: as long as
 * the rule has fewer than there are places left.
 */
export const ADD_HOLD = `
local lengths = { ${HOLD_MS.join(", ")} }
local function addHold(rule, client, action, forMs)
  local used, own, stream, rules = 0, 0, nil, nil
  for at, length in ipairs(lengths) do
    local key, counts = KEYS[at * 2 - 1], KEYS[at * 2]
    local ended = redis.call('XRANGE', key, '-', text(now - length), 'COUNT', ${REMOVED})
    for _, entry in ipairs(ended) do
      redis.call('XDEL', key, entry[1])
      redis.call('HINCRBY', counts, entry[2][2], -1)
    end
    used = used + redis.call('XLEN', key)
    own = own + (tonumber(redis.call('HGET', counts, rule)) or 0)
    if length == forMs then stream, rules = key, counts end
  end
  if not stream or own >= ${MAX_HOLDS} - used then return end
  redis.call('XADD', stream, '*', 'rule', rule, 'client', client, 'action', action, 'ms', text(forMs))
  redis.call('HINCRBY', rules, rule, 1)
  redis.call('PEXPIRE', stream, text(forMs))
  redis.call('PEXPIRE', rules, text(forMs))
end
`;

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
  const isWhole = rule && client && ACTIONS.has(action) && HOLD_MS.includes(forMs);
  if (!isWhole) return null;
  return { id, rule, digest: client, action: action as HoldAction, endsAt: Number.parseInt(id, 10) + forMs };
}
