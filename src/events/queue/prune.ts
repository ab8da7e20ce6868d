// Deleting old deliveries after the retention period, and all deliveries of a deleted webhook. Each step is bounded in rows,
// attempts included.
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { lockOwner } from "../events/emit.ts";
import {
  clearIdle,
  deleteAttemptsOf,
  deleteDeliveries,
  deleteQueue,
  deleteReplays,
  findDeletedQueue,
  findIdleQueue,
  isStillIdle,
  listOfWebhook,
  listOld,
  listPending,
} from "./prune-store.ts";
import { KEPT_ATTEMPTS } from "./vocabulary.ts";

// It takes a writer a few milliseconds.
const STEP = 200;
/** Each may hold 16 KiB of a receiver's response. */
const MAX_ATTEMPTS = 400;

export interface Retention {
  readonly keptDays: number;
}

type ListedDelivery = Awaited<ReturnType<typeof listOld>>[number];

/** The first deliveries, as many as one step may delete with their attempts. */
function cutAttempts(listed: readonly ListedDelivery[]): readonly ListedDelivery[] {
  let attempts = 0;
  const end = listed.findIndex((delivery, index) => {
    attempts += Math.min(delivery.attempts, KEPT_ATTEMPTS);
    return index > 0 && attempts > MAX_ATTEMPTS;
  });
  return end < 0 ? listed : listed.slice(0, end);
}

/** Deletes the first deliveries, with their attempts; returns how many it tried to delete. */
async function prune(tx: Tx, listed: readonly ListedDelivery[], which: "finished" | "all"): Promise<number> {
  const step = cutAttempts(listed);
  if (step.length === 0) return 0;
  const deleted = await deleteDeliveries[which](tx, { keys: JSON.stringify(step) });
  // Delete attempts after deliveries, because the deletion of a delivery waits for a transaction that is storing an attempt of
  // it.
  await deleteAttemptsOf(tx, { keys: JSON.stringify(deleted) });
  return step.length;
}

async function pruneOld(tx: Tx, before: number): Promise<number> {
  return await prune(tx, await listOld(tx, { before, limit: STEP }), "finished");
}

/** The pending deliveries of a webhook that has been inactive for the retention period are older than that. */
async function pruneInactive(tx: Tx, before: number): Promise<number> {
  const idle = await findIdleQueue(tx, { before });
  if (!idle) return 0;
  const { webhookId, ownerId } = idle;
  await lockOwner(tx, ownerId);
  if (!(await isStillIdle(tx, { webhookId, before }))) return 1;
  const pruned = await prune(tx, await listPending(tx, { webhookId, limit: STEP }), "all");
  if (pruned === 0) await clearIdle(tx, { webhookId });
  return 1;
}

async function pruneDeleted(tx: Tx): Promise<number> {
  const queue = await findDeletedQueue(tx, {});
  if (!queue) return 0;
  const pruned = await prune(tx, await listOfWebhook(tx, { ...queue, limit: STEP }), "all");
  if (pruned === 0) await deleteQueue(tx, queue);
  return 1;
}

/** Deletes some of what has expired; returns 0 when nothing is left. */
export async function pruneDeliveries(tx: Tx, { keptDays }: Retention, now: number): Promise<number> {
  const before = now - keptDays * DAY_MS;
  return (
    (await pruneOld(tx, before)) ||
    (await pruneDeleted(tx)) ||
    (await pruneInactive(tx, before)) ||
    (await deleteReplays(tx, { before, limit: STEP }))
  );
}
