// Deletes traffic that is older than the retention.
import { DAY_MS, HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { deleteStates } from "./automatic/store.ts";
import { deleteEntries, deleteHours, deleteMinutes, listOldMinutes } from "./attack-store.ts";
import { deleteRules } from "./rule-sums-store.ts";
import { KEPT_DAYS } from "./traffic-schema.ts";

/** Minutes of a host, each with a bounded number of entries. */
const MINUTE_BATCH = 50;
const HOUR_BATCH = 500;

/** Deletes a batch of expired rows of all owners. Returns the number of rows. */
export async function pruneTraffic(tx: Tx, _input: null, now: number): Promise<number> {
  const before = now - KEPT_DAYS * DAY_MS;
  const keys = JSON.stringify(await listOldMinutes(tx, { before, limit: MINUTE_BATCH }));
  const entries = await deleteEntries(tx, { keys });
  const minutes = await deleteMinutes(tx, { keys });
  const rules = await deleteRules(tx, { before: before - HOUR_MS, limit: HOUR_BATCH });
  const states = await deleteStates(tx, { before, limit: HOUR_BATCH });
  // The baseline of the oldest minute needs the hours of the day before it.
  return (
    entries + minutes + rules + states + (await deleteHours(tx, { before: before - 2 * DAY_MS, limit: HOUR_BATCH }))
  );
}
