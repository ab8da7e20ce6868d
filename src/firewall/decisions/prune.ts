// Deletes sampled decisions that are older than the retention.
import { positionAt } from "../../platform/kernel/pagination.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { KEPT_DAYS } from "./decision-schema.ts";
import { deleteOld } from "./store.ts";

const BATCH = 100;

/** Deletes a batch of expired decisions of all owners. Returns their number. */
export async function pruneDecisions(tx: Tx, _input: null, now: number): Promise<number> {
  return await deleteOld(tx, { before: positionAt(now - KEPT_DAYS * DAY_MS), limit: BATCH });
}
