// Forgetting what was delivered: after a while, and with the webhook that it was delivered to. Each step is bounded in
// rows, attempts included.
import { DAY_MS } from "../../kernel/scheduling/clock.ts";
import type { Tx } from "../../kernel/tx.ts";
import { lockChain } from "../../resources/events/emit.ts";
import { KEPT_ATTEMPTS } from "../../resources/webhooks/deliveries/delivery-schema.ts";
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

// What takes a writer a few milliseconds.
const STEP = 200;
/** Each may hold 16 KiB of a receiver's answer. */
const MOST_ATTEMPTS = 400;

export interface Retention {
  readonly keptDays: number;
}

type Candidate = Awaited<ReturnType<typeof listOld>>[number];

/** As many as one step may delete with their attempts. */
function cutAttempts(candidates: readonly Candidate[]): readonly Candidate[] {
  let attempts = 0;
  const end = candidates.findIndex((candidate, index) => {
    attempts += Math.min(candidate.attempts, KEPT_ATTEMPTS);
    return index > 0 && attempts > MOST_ATTEMPTS;
  });
  return end < 0 ? candidates : candidates.slice(0, end);
}

/** Deletes some of the deliveries, with their attempts; answers how many it tried. */
async function forget(tx: Tx, candidates: readonly Candidate[], which: "settled" | "all"): Promise<number> {
  const taken = cutAttempts(candidates);
  if (taken.length === 0) return 0;
  const deleted = await deleteDeliveries[which](tx, { keys: JSON.stringify(taken) });
  // After them: whoever noted an attempt until now has done so before they could be deleted.
  await deleteAttemptsOf(tx, { keys: JSON.stringify(deleted) });
  return taken.length;
}

async function forgetOld(tx: Tx, before: number): Promise<number> {
  return await forget(tx, await listOld(tx, { before, limit: STEP }), "settled");
}

/** What still waits for a webhook that has been switched off for so long is older than that. */
async function forgetIdle(tx: Tx, before: number): Promise<number> {
  const idle = await findIdleQueue(tx, { before });
  if (!idle) return 0;
  const { webhookId, ownerId } = idle;
  await lockChain(tx, ownerId);
  if (!(await isStillIdle(tx, { webhookId, before }))) return 1;
  const forgotten = await forget(tx, await listPending(tx, { webhookId, limit: STEP }), "all");
  if (forgotten === 0) await clearIdle(tx, { webhookId });
  return 1;
}

async function forgetDeleted(tx: Tx): Promise<number> {
  const queue = await findDeletedQueue(tx, {});
  if (!queue) return 0;
  const forgotten = await forget(tx, await listOfWebhook(tx, { ...queue, limit: STEP }), "all");
  if (forgotten === 0) await deleteQueue(tx, queue);
  return 1;
}

/** Forgets some of what is kept no longer; answers 0 when there is nothing left. */
export async function pruneDeliveries(tx: Tx, { keptDays }: Retention, now: number): Promise<number> {
  const before = now - keptDays * DAY_MS;
  return (
    (await forgetOld(tx, before)) ||
    (await forgetDeleted(tx)) ||
    (await forgetIdle(tx, before)) ||
    (await deleteReplays(tx, { before, limit: STEP }))
  );
}
