// What waits in the queues, for metrics, the report to administrators and `reeve doctor`. Reads the index of queues, and one entry of the
// index of due deliveries for each of them: the number of deliveries does not matter.
import { sql } from "kysely";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { prepare } from "../../platform/store/prepared.ts";
import { NEVER } from "./queue-store.ts";

/** Queues to look at. Those that a process may claim first come first. */
const MAX_QUEUES = 1_000;
/** A receiver that fails or is behind for longer is named. */
const LATE_MS = 10 * MINUTE_MS;

const listQueues = prepare<{ limit: number }>("webhookQueues.listWaiting").many(({ db, p }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("webhook_queues")
        .select(["webhookId", "ownerId", "holder", "heldUntil", "failingSince"])
        .where("readyAt", "<", sql.lit(NEVER))
        .orderBy("readyAt")
        .limit(p("limit"))
        .as("queue"),
    )
    .select([
      "queue.webhookId",
      "queue.ownerId",
      "queue.holder as leaseId",
      "queue.heldUntil",
      "queue.failingSince",
      sql<number | null>`(select min(waiting.due_at) from webhook_deliveries as waiting
        where waiting.webhook_id = queue.webhook_id and waiting.due_at is not null)`.as("dueAt"),
    ]),
);

/** `backoff`: the receiver fails, or it asked for a pause, or its rate is reached. */
export const RECEIVER_STATES = ["healthy", "backoff"] as const;

interface WaitingWebhook {
  readonly webhookId: string;
  readonly ownerId: string;
  readonly receiver: (typeof RECEIVER_STATES)[number];
  readonly failingSince: number | null;
  /** When its oldest delivery became due; null: none is due yet. */
  readonly dueSince: number | null;
}

/** The webhooks that have deliveries waiting, 1 000 at most. */
export async function listWaitingWebhooks(reader: Tx, now: number): Promise<readonly WaitingWebhook[]> {
  const rows = await listQueues(reader, { limit: MAX_QUEUES });
  return rows.map(({ webhookId, ownerId, leaseId, heldUntil, failingSince, dueAt }) => {
    const isPaused = leaseId === null && heldUntil > now;
    const receiver = failingSince !== null || isPaused ? "backoff" : "healthy";
    return { webhookId, ownerId, receiver, failingSince, dueSince: dueAt !== null && dueAt <= now ? dueAt : null };
  });
}

/** When the oldest delivery became due to one of these receivers; null: none is due. */
export function oldestDue(
  webhooks: readonly WaitingWebhook[],
  receivers: readonly WaitingWebhook["receiver"][] = RECEIVER_STATES,
): number | null {
  const times = webhooks
    .filter(({ receiver }) => receivers.includes(receiver))
    .flatMap(({ dueSince }) => dueSince ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

export interface LateWebhook {
  readonly webhookId: string;
  readonly ownerId: string;
  /** `slow`: its receiver takes deliveries, and is behind. */
  readonly state: "failing" | "slow";
  readonly since: number;
}

/** The webhooks whose receivers have failed or been behind for more than ten minutes, the longest ones first. */
export function findLateWebhooks(webhooks: readonly WaitingWebhook[], now: number): readonly LateWebhook[] {
  return webhooks
    .flatMap(({ webhookId, ownerId, receiver, failingSince, dueSince }): LateWebhook[] => {
      const since = failingSince ?? (receiver === "healthy" ? dueSince : null);
      if (since === null || since > now - LATE_MS) return [];
      return [{ webhookId, ownerId, state: failingSince === null ? "slow" : "failing", since }];
    })
    .toSorted((a, b) => a.since - b.since);
}
