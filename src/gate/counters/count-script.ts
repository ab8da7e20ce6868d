// Counts requests in Redis, by the store's clock: a Lua script that does for each limit what src/firewall/evaluator/counting.ts does, at once for
// all gates. https://redis.io/docs/latest/develop/programmability/eval-intro/
import { hash } from "node:crypto";
import type { BegunHold, CountQuery } from "../../firewall/evaluator/awaited-counters.ts";
import type { Count, HoldAction } from "../../firewall/evaluator/counting.ts";
import { clientDigest } from "./client-digest.ts";
import type { CounterScope } from "./counter-store.ts";
import { ADD_HOLD, holdKeys } from "./hold-entries.ts";

/** Numbers are doubles in Lua too, and exact up to 2^53. As text Lua would round them to 14 digits. */
const PRELUDE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
`;

interface Script {
  readonly text: string;
  readonly sha1: string;
}

function scriptOf(text: string): Script {
  return { text, sha1: hash("sha1", text) };
}

const COUNT_SCRIPT = scriptOf(`${PRELUDE}${ADD_HOLD}
local replies = { now }

for at = 0, #ARGV / 8 - 1 do
  local counter, hold = KEYS[#lengths * 2 + at * 2 + 1], KEYS[#lengths * 2 + at * 2 + 2]
  local algo, continues, action, rule, client = ARGV[at * 8 + 1], ARGV[at * 8 + 4], ARGV[at * 8 + 6], ARGV[at * 8 + 7], ARGV[at * 8 + 8]
  local window, limit, forMs = tonumber(ARGV[at * 8 + 2]), tonumber(ARGV[at * 8 + 3]), tonumber(ARGV[at * 8 + 5])

  local held = forMs > 0 and redis.call('GET', hold)
  if held then
    local heldAction, heldUntil = string.match(held, '^(%S+) (%d+)$')
    local left = tonumber(heldUntil) - now
    if left > 0 then
      replies[#replies + 1] = { 0, left, 0, heldAction }
      break
    end
  end

  local first, second
  local known = redis.call('GET', counter)
  if known then
    first, second = string.match(known, '^(%d+) (%d+)$')
    first, second = tonumber(first), tonumber(second)
  end
  local isExceeded, wait, count, endsAt
  if algo == 'token_bucket' then
    local capacity = limit * window
    local before = capacity
    if first then
      before = math.min(capacity, second + math.min(window, math.max(0, now - first)) * limit)
    end
    isExceeded = before < window
    local level = isExceeded and before or before - window
    endsAt = now + math.ceil((capacity - level) / limit)
    wait = isExceeded and math.ceil((window - before) / limit) or 0
    count = math.floor(level / window)
    first, second = now, level
  else
    local startsAt = math.floor(now / window) * window
    endsAt = startsAt + window
    count = first == startsAt and second + 1 or 1
    isExceeded = count > limit
    wait = isExceeded and endsAt - now or 0
    first, second = startsAt, count
  end
  redis.call('SET', counter, text(first) .. ' ' .. text(second), 'PX', text(math.max(1, endsAt - now)))
  replies[#replies + 1] = { isExceeded and 1 or 0, wait, count, '' }

  if isExceeded then
    if forMs > 0 then
      redis.call('SET', hold, action .. ' ' .. text(now + forMs), 'PX', text(forMs))
      addHold(rule, client, action, forMs)
    end
    if continues == '0' then break end
  end
end
return replies
`);

/** A hold that no count began. */
const HOLD_SCRIPT = scriptOf(`${PRELUDE}${ADD_HOLD}
addHold(ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]))
`);

export type SendCommand = (args: readonly string[]) => Promise<unknown>;

/** A store that was started again has forgotten the script. */
async function runScript(
  send: SendCommand,
  { text, sha1 }: Script,
  keys: readonly string[],
  rest: readonly string[],
): Promise<unknown> {
  const given = [String(keys.length), ...keys, ...rest];
  return await send(["EVALSHA", sha1, ...given]).catch(async (error: unknown) => {
    if (!(error as Error).message.startsWith("NOSCRIPT")) throw error;
    return await send(["EVAL", text, ...given]);
  });
}

export async function holdInRedis(
  send: SendCommand,
  scope: CounterScope,
  { rule, client }: Omit<BegunHold, "hold">,
  action: string,
  forMs: number,
): Promise<void> {
  await runScript(send, HOLD_SCRIPT, holdKeys(scope), [rule, clientDigest(client), action, String(Math.round(forMs))]);
}

function keysOf(scope: CounterScope, { limit, client }: CountQuery): readonly string[] {
  const counter = `${scope}:${limit.rule}:count:${clientDigest(limit.key + client)}`;
  // A limit that does not hold reads no hold.
  return [counter, limit.hold ? `${scope}:${limit.rule}:hold:${clientDigest(limit.hold.key + client)}` : counter];
}

function argumentsOf({ limit: { algo, windowMs, limit, continues, hold }, client }: CountQuery): readonly string[] {
  const common = [algo, String(windowMs), String(limit), continues ? "1" : "0"];
  return hold
    ? [...common, String(hold.forMs), hold.action, hold.key, clientDigest(client)]
    : [...common, "0", "", "", ""];
}

type Reply = readonly [now: number, ...(readonly [isExceeded: number, waitMs: number, count: number, held: string])[]];

function readCount([isExceeded, waitMs, count, held]: [number, number, number, string]): Count {
  return { isExceeded: isExceeded === 1, waitMs, count, ...(held !== "" && { held: held as HoldAction }) };
}

export interface StoreCounts {
  /** The time by which was counted, ms since the epoch. */
  readonly now: number;
  /** Of the queries in turn, up to the first that decides. */
  readonly counts: readonly Count[];
}

export async function countInRedis(
  send: SendCommand,
  scope: CounterScope,
  queries: readonly CountQuery[],
): Promise<StoreCounts> {
  const keys = [...holdKeys(scope), ...queries.flatMap((query) => keysOf(scope, query))];
  const reply = await runScript(send, COUNT_SCRIPT, keys, queries.flatMap(argumentsOf));
  const [now, ...counts] = reply as Reply;
  return { now, counts: counts.map((one) => readCount(one as [number, number, number, string])) };
}
