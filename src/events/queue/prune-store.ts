// Statements that find and delete expired deliveries, replays and the queues of deleted webhooks.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import { isPendingOf } from "./delivery-store.ts";
import type { Build } from "../../platform/store/prepared.ts";

/** Deliveries that are not pending, to whatever webhooks, of events before a time. */
export const listOld = prepare<{ before: number; limit: number }>("webhookDeliveries.listOld").many(({ db, p }) =>
  db
    .selectFrom("webhook_deliveries")
    .select(["webhook_id as webhookId", "sequence", "attempts"])
    .where("due_at", "is", null)
    .where("created_at", "<", p("before"))
    .orderBy("created_at")
    .limit(p("limit")),
);

/** The pending deliveries to a webhook, from the oldest. */
export const listPending = prepare<{ webhookId: string; limit: number }>("webhookDeliveries.listPending").many(
  ({ db, p }) =>
    db
      .selectFrom("webhook_deliveries")
      .select(["webhook_id as webhookId", "sequence", "attempts"])
      .where(isPendingOf("webhook_deliveries", p("webhookId")))
      .where("due_at", "is not", null)
      .orderBy("webhook_id")
      .orderBy("state")
      .orderBy("sequence")
      .limit(p("limit")),
);

/** All deliveries to a webhook. */
export const listOfWebhook = prepare<{ webhookId: string; limit: number }>("webhookDeliveries.listOfWebhook").many(
  ({ db, p }) =>
    db
      .selectFrom("webhook_deliveries")
      .select(["webhook_id as webhookId", "sequence", "attempts"])
      .where("webhook_id", "=", p("webhookId"))
      .orderBy("sequence")
      .limit(p("limit")),
);

type Keys = { keys: string };

/** The deliveries that a JSON array names: `{webhookId, sequence}`. */
function named({ db, objects, member, integerMember }: Build<Keys>) {
  return db
    .selectFrom(objects("keys"))
    .select([member("webhookId").as("webhook_id"), integerMember("sequence").as("sequence")])
    .$asTuple("webhook_id", "sequence");
}

const deletion = (name: string, isPendingToo: boolean) =>
  prepare<Keys>(name).many((build) => {
    const deleted = build.db
      .deleteFrom("webhook_deliveries")
      .where(({ eb, refTuple }) => eb(refTuple("webhook_id", "sequence"), "in", named(build)))
      .returning(["webhook_id as webhookId", "sequence"]);
    return isPendingToo ? deleted : deleted.where("state", "<>", sql.lit("pending"));
  });

/** Delete deliveries and return them. `finished` skips those that were requeued meanwhile. */
export const deleteDeliveries = {
  finished: deletion("webhookDeliveries.deleteFinished", false),
  all: deletion("webhookDeliveries.deleteAll", true),
};

export const deleteAttemptsOf = prepare<Keys>("webhookAttempts.deleteOf").write((build) =>
  build.db
    .deleteFrom("webhook_attempts")
    .where(({ eb, refTuple }) => eb(refTuple("webhook_id", "sequence"), "in", named(build))),
);

/** The queue of a webhook that was deleted. */
export const findDeletedQueue = prepare("webhookQueues.findDeleted").one(({ db }) =>
  db
    .selectFrom("webhook_queues")
    .select("webhook_id as webhookId")
    .where("deleted_at", "is not", null)
    .orderBy("deleted_at")
    .limit(1),
);

export const deleteQueue = prepare<{ webhookId: string }>("webhookQueues.delete").write(({ db, p }) =>
  db.deleteFrom("webhook_queues").where("webhook_id", "=", p("webhookId")).where("deleted_at", "is not", null),
);

/** The queue of a webhook that was disabled before a time, which may have pending deliveries. */
export const findIdleQueue = prepare<{ before: number }>("webhookQueues.findIdle").one(({ db, p }) =>
  db
    .selectFrom("webhook_queues")
    .select(["webhook_id as webhookId", "owner_id as ownerId"])
    .where("idle_since", "<", p("before"))
    .orderBy("idle_since")
    .limit(1),
);

/** Whether it still is; the caller holds the owner's lock. */
export const isStillIdle = prepare<{ webhookId: string; before: number }>("webhookQueues.isStillIdle").one(
  ({ db, p }) =>
    db
      .selectFrom("webhook_queues")
      .select("webhook_id")
      .where("webhook_id", "=", p("webhookId"))
      .where("idle_since", "<", p("before")),
);

/** The queue has no pending deliveries any more. */
export const clearIdle = prepare<{ webhookId: string }>("webhookQueues.clearIdle").write(({ db, p }) =>
  db.updateTable("webhook_queues").set({ idle_since: null }).where("webhook_id", "=", p("webhookId")),
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
          .where("finished_at", "<", p("before"))
          .orderBy("finished_at")
          .limit(p("limit")),
      ),
);
