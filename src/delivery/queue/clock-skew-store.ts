// Statements on what waits for a time that nobody meant: a clock that was ahead has put it off.
import { sql } from "kysely";
import type { Expression } from "kysely";
import { prepare } from "../../store/prepared.ts";
import { NEVER } from "./queue-store.ts";

/**
 * That a delivery was put off by a clock that showed more than `soon`. A first try is due at once, and a later one some time
 * after the try before it, so what is due later says when that was decided.
 */
const isPutOff = (soon: Expression<number>) =>
  sql<boolean>`waiting.due_at > ${soon}
    and case when waiting.tries = 0 then waiting.due_at else waiting.last_attempt_at end > ${soon}`;

/**
 * The queue of a webhook that is put off, locked: its deliveries are, or it is held until after `latest`, and for none of
 * them. Those that somebody looks at before `soon` will come by themselves.
 */
export const lockPutOff = prepare<{ soon: number; latest: number }>("webhookQueues.lockPutOff").one(
  ({ db, p, forUpdateSkipLocked }) =>
    db
      .selectFrom("webhook_queues as queue")
      .select(["queue.webhook_id as webhookId"])
      .where("queue.ready_at", ">", p("soon"))
      .where("queue.ready_at", "<", sql.lit(NEVER))
      .where(({ and, or, not, exists, eb, selectFrom }) => {
        const waiting = selectFrom("webhook_deliveries as waiting")
          .select("waiting.sequence")
          .whereRef("waiting.webhook_id", "=", "queue.webhook_id");
        const isHeldForNone = and([
          eb("queue.held_until", ">", p("latest")),
          not(exists(waiting.whereRef("waiting.due_at", ">=", "queue.held_until"))),
        ]);
        return or([isHeldForNone, exists(waiting.where(isPutOff(p("soon"))))]);
      })
      .limit(sql.lit(1))
      .modifyEnd(forUpdateSkipLocked),
);

/** Makes deliveries due that were put off; leaves out those that somebody else is changing. */
export const bringForward = prepare<{ webhookId: string; soon: number; now: number; limit: number }>(
  "webhookDeliveries.bringForward",
).many(({ db, p, forUpdateSkipLocked }) =>
  db
    .updateTable("webhook_deliveries")
    .set({ due_at: p("now") })
    .where("webhook_id", "=", p("webhookId"))
    .where("sequence", "in", (eb) =>
      eb
        .selectFrom("webhook_deliveries as waiting")
        .select("waiting.sequence")
        .where("waiting.webhook_id", "=", p("webhookId"))
        .where(isPutOff(p("soon")))
        .limit(p("limit"))
        .modifyEnd(forUpdateSkipLocked),
    )
    .returning("sequence"),
);

/** Has a queue looked at when something is due, whoever held it for however long. */
export const letGo = prepare<{ webhookId: string }>("webhookQueues.letGo").run(({ db, p }) => {
  const firstDue = sql<number>`coalesce((select min(due_at) from webhook_deliveries
    where webhook_id = ${p("webhookId")} and due_at is not null), ${sql.lit(NEVER)})`;
  return db
    .updateTable("webhook_queues")
    .set({ due_at: firstDue, held_until: 0, ready_at: firstDue, holder: null })
    .where("webhook_id", "=", p("webhookId"));
});
