// Follows the holds that other gates have begun, so that a held client is known here without asking.
import { setTimeout as sleep } from "node:timers/promises";
import type { Hold } from "../../firewall/evaluator/counters.ts";
import type { SendCommand } from "./count-script.ts";
import type { CounterScope } from "./counter-store.ts";
import { holdStreams, readEntry } from "./hold-entries.ts";
import type { HoldEntry } from "./hold-entries.ts";

export interface HoldFollower {
  /** The projects of this gate, as far as it knows them. */
  scopes(): readonly CounterScope[];
  /** `digest` names the client; `hold` ends by the gate's clock. */
  onHold(scope: CounterScope, rule: string, digest: string, hold: Hold): void;
}

const BATCH = "1000";
/** Projects become known with their first bundle, so the list is made again this often. */
const BLOCK_MS = "1000";
const RETRY_MS = 500;
/** Failures in a row before it is said: a connection that is made again is none. */
const FAILURES = 4;
/** While no project has a bundle. */
const IDLE_MS = 100;

type Streams = readonly (readonly [stream: string, entries: readonly (readonly [id: string, fields: string[]])[]])[];

async function storeTime(send: SendCommand): Promise<number> {
  const [seconds, micros] = (await send(["TIME"])) as [string, string];
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/**
 * `send` is a connection of its own: reading waits for entries. `note` is told why nothing can be read, and null when it can. Returns
 * what ends it.
 */
export function followHolds(
  send: SendCommand,
  { scopes, onHold }: HoldFollower,
  clock: () => number,
  note: (problem: string | null) => void,
): () => void {
  const stopped = new AbortController();
  const lastIds = new Map<string, string>();

  async function readOnce(): Promise<void> {
    const known = scopes();
    if (known.length === 0) return await sleep(IDLE_MS, undefined, { signal: stopped.signal });
    const followed = known.flatMap((scope) => holdStreams(scope).map((stream) => ({ scope, ...stream })));
    const added = followed.filter(({ key }) => !lastIds.has(key));
    const since = added.length > 0 ? await storeTime(send) : 0;
    for (const { key, forMs } of added) lastIds.set(key, `${since - forMs}-0`);
    const keys = followed.map(({ key }) => key);
    const from = ["STREAMS", ...keys, ...keys.map((key) => lastIds.get(key) as string)];
    const streams = (await send(["XREAD", "COUNT", BATCH, "BLOCK", BLOCK_MS, ...from])) as Streams | null;
    if (!streams) return;
    const now = await storeTime(send);
    for (const [stream, entries] of streams) {
      const scope = followed.find(({ key }) => key === stream)?.scope;
      if (scope === undefined) continue;
      lastIds.set(stream, (entries.at(-1) as (typeof entries)[number])[0]);
      const holds = entries.flatMap(([id, fields]) => readEntry(id, fields) ?? []);
      for (const entry of holds) tell(scope, entry, now);
    }
  }

  /** The hold has as long to go as by the store's clock. */
  function tell(scope: CounterScope, { rule, digest, action, endsAt }: HoldEntry, storeNow: number): void {
    if (endsAt > storeNow) onHold(scope, rule, digest, { action, endsAt: clock() + endsAt - storeNow });
  }

  async function follow(): Promise<void> {
    let failures = 0;
    while (!stopped.signal.aborted) {
      try {
        await readOnce();
        failures = 0;
        note(null);
      } catch (error) {
        failures++;
        if (failures >= FAILURES) note((error as Error).message);
        await sleep(RETRY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
      }
    }
  }

  void follow();
  return () => stopped.abort();
}
