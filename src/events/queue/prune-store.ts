// Statements that find and delete expired deliveries, replays and the queues of deleted webhooks.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import { isPendingOf } from "./delivery-store.ts";
import type { Build } from "../../platform/store/build.ts";

/** Deliveries that are not due again, to whatever webhooks, of events before a time. */
export const listOld = prepare<{ before: number; limit: number }>("webhookDeliveries.listOld").many(({ db, p }) =>
  db
    .selectFrom("webhook_deliveries")
    .select(["webhookId", "sequence", "attempts"])
    .where("dueAt", "is", null)
    .where("createdAt", "<", p("before"))
    .orderBy("createdAt")
    .limit(p("limit")),
);

/** The pending deliveries to a webhook, from the oldest. */
export const listPending = prepare<{ webhookId: string; limit: number }>("webhookDeliveries.listPending").many(
  ({ db, p }) =>
    db
      .selectFrom("webhook_deliveries")
      .select(["webhookId", "sequence", "attempts"])
      .where(isPendingOf("webhook_deliveries", p("webhookId")))
      .where("dueAt", "is not", null)
      .orderBy("webhookId")
      .orderBy("state")
      .orderBy("sequence")
      .limit(p("limit")),
);

/** All deliveries to a webhook. */
export const listOfWebhook = prepare<{ webhookId: string; limit: number }>("webhookDeliveries.listOfWebhook").many(
  ({ db, p }) =>
    db
      .selectFrom("webhook_deliveries")
      .select(["webhookId", "sequence", "attempts"])
      .where("webhookId", "=", p("webhookId"))
      .orderBy("sequence")
      .limit(p("limit")),
);

type Keys = { keys: string };

/** The deliveries that a JSON array names: `{webhookId, sequence}`. */
function named({ db, objects, member, integerMember }: Build<Keys>) {
  return db
    .selectFrom(objects("keys"))
    .select([member("webhookId").as("webhookId"), integerMember("sequence").as("sequence")])
    .$asTuple("webhookId", "sequence");
}

const deletion = (name: string, isPendingToo: boolean) =>
  prepare<Keys>(name).many((build) => {
    const deleted = build.db
      .deleteFrom("webhook_deliveries")
      .where(({ eb, refTuple }) => eb(refTuple("webhookId", "sequence"), "in", named(build)))
      .returning(["webhookId", "sequence"]);
    // Not `is null`: PostgreSQL could read the index of all finished deliveries instead of looking for each.
    return isPendingToo ? deleted : deleted.where(({ fn }) => fn.coalesce("dueAt", sql.lit(-1)), "=", -1);
  });

/** Delete deliveries and return them. `finished` skips those that were requeued meanwhile. */
export const deleteDeliveries = {
  finished: deletion("webhookDeliveries.deleteFinished", false),
  all: deletion("webhookDeliveries.deleteAll", true),
};

export const deleteAttemptsOf = prepare<Keys>("webhookAttempts.deleteOf").write((build) =>
  build.db
    .deleteFrom("webhook_attempts")
    .where(({ eb, refTuple }) => eb(refTuple("webhookId", "sequence"), "in", named(build))),
);

/** The queue of a webhook that was deleted. */
export const findDeletedQueue = prepare("webhookQueues.findDeleted").one(({ db }) =>
  db.selectFrom("webhook_queues").select("webhookId").where("deletedAt", "is not", null).orderBy("deletedAt").limit(1),
);

export const deleteQueue = prepare<{ webhookId: string }>("webhookQueues.delete").write(({ db, p }) =>
  db.deleteFrom("webhook_queues").where("webhookId", "=", p("webhookId")).where("deletedAt", "is not", null),
);

/** The queue of a webhook that was disabled before a time, which may have pending deliveries. */
export const findIdleQueue = prepare<{ before: number }>("webhookQueues.findIdle").one(({ db, p }) =>
  db
    .selectFrom("webhook_queues")
    .select(["webhookId", "ownerId"])
    .where("idleSince", "<", p("before"))
    .orderBy("idleSince")
    .limit(1),
);

/** Whether it still is; the caller holds the owner's lock. */
export const isStillIdle = prepare<{ webhookId: string; before: number }>("webhookQueues.isStillIdle").one(
  ({ db, p }) =>
    db
      .selectFrom("webhook_queues")
      .select("webhookId")
      .where("webhookId", "=", p("webhookId"))
      .where("idleSince", "<", p("before")),
);

/** The queue has no pending deliveries any more. */
export const clearIdle = prepare<{ webhookId: string }>("webhookQueues.clearIdle").write(({ db, p }) =>
  db.updateTable("webhook_queues").set({ idleSince: null }).where("webhookId", "=", p("webhookId")),
);

export const deleteReplays = prepare<{ before: number; limit: number }>("webhookReplays.deleteFinished").run(
  ({ db, p }) =>
    db
      .deleteFrom("webhook_replays")
      .where(
        "id",
        "in",
        db
          .selectFrom("webhook_replays")
          .select("id")
          .where("finishedAt", "<", p("before"))
          .orderBy("finishedAt")
          .limit(p("limit")),
      ),
);
