// Statements that find and repair due times that a clock has set too late, because it was ahead.
import { sql } from "kysely";
import type { Expression } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import { NEVER } from "./queue-store.ts";

/**
 * Whether a clock that showed more than `soon` set the delivery's due time. A first try is due at once, and a later one a known
 * time after the previous try, so the due time reveals when it was set.
 */
const isSkewed = (soon: Expression<number>) =>
  sql<boolean>`waiting.due_at > ${soon}
    and case when waiting.tries = 0 then waiting.due_at else waiting.last_attempt_at end > ${soon}`;

/**
 * Locks a queue that needs repair: its deliveries have such times, or it is held until after `latest` without a delivery that
 * is due as late. Queues that are ready before `soon` need no repair.
 */
export const lockSkewedQueue = prepare<{ soon: number; latest: number }>("webhookQueues.lockSkewed").one(
  ({ db, p, forUpdateSkipLocked }) =>
    db
      .selectFrom("webhook_queues as queue")
      .select(["queue.webhookId"])
      .where("queue.readyAt", ">", p("soon"))
      .where("queue.readyAt", "<", sql.lit(NEVER))
      .where(({ and, or, not, exists, eb, selectFrom }) => {
        const waiting = selectFrom("webhook_deliveries as waiting")
          .select("waiting.sequence")
          .whereRef("waiting.webhookId", "=", "queue.webhookId");
        const isHeldForNone = and([
          eb("queue.heldUntil", ">", p("latest")),
          not(exists(waiting.whereRef("waiting.dueAt", ">=", "queue.heldUntil"))),
        ]);
        return or([isHeldForNone, exists(waiting.where(isSkewed(p("soon"))))]);
      })
      .limit(sql.lit(1))
      .modifyEnd(forUpdateSkipLocked),
);

/** Makes such deliveries due; skips those that another transaction is changing. */
export const makeSkewedDue = prepare<{ webhookId: string; soon: number; now: number; limit: number }>(
  "webhookDeliveries.makeSkewedDue",
).many(({ db, p, forUpdateSkipLocked }) =>
  db
    .updateTable("webhook_deliveries")
    .set({ dueAt: p("now") })
    .where("webhookId", "=", p("webhookId"))
    .where("sequence", "in", (eb) =>
      eb
        .selectFrom("webhook_deliveries as waiting")
        .select("waiting.sequence")
        .where("waiting.webhookId", "=", p("webhookId"))
        .where(isSkewed(p("soon")))
        .limit(p("limit"))
        .modifyEnd(forUpdateSkipLocked),
    )
    .returning("sequence"),
);

/** Ends the lease or hold of a queue: it is ready when its first delivery is due. */
export const resetQueue = prepare<{ webhookId: string }>("webhookQueues.reset").write(({ db, p }) => {
  const firstDue = sql<number>`coalesce((select min(due_at) from webhook_deliveries
    where webhook_id = ${p("webhookId")} and due_at is not null), ${sql.lit(NEVER)})`;
  return db
    .updateTable("webhook_queues")
    .set({ dueAt: firstDue, heldUntil: 0, readyAt: firstDue, holder: null })
    .where("webhookId", "=", p("webhookId"));
});
