// Statements that queue an event for webhooks.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

/** The subscriptions of an owner's webhooks, at most a hundred. */
export const listSubscriptions = prepare<{ ownerId: string }>("webhooks.listSubscriptions").many(({ db, p }) =>
  db.selectFrom("webhooks").select(["id", "events", "project_ids", "is_active"]).where("owner_id", "=", p("ownerId")),
);

/** Inserts one delivery of an event for each webhook. `targets` is a JSON array of `{id, state, dueAt}`. */
export const insertDeliveries = prepare<{
  targets: string;
  ownerId: string;
  sequence: number;
  eventId: string;
  type: string;
  createdAt: number;
}>("webhookDeliveries.insert").write(({ db, p, objects, member, integerMember }) =>
  db
    .insertInto("webhook_deliveries")
    .columns([
      "webhook_id",
      "sequence",
      "owner_id",
      "event_id",
      "type",
      "state",
      "due_at",
      "attempts",
      "tries",
      "created_at",
    ])
    .expression((eb) =>
      eb
        .selectFrom(objects("targets"))
        .select([
          member("id").as("webhook_id"),
          sql<number>`cast(${p("sequence")} as bigint)`.as("sequence"),
          sql<string>`cast(${p("ownerId")} as text)`.as("owner_id"),
          sql<string>`cast(${p("eventId")} as text)`.as("event_id"),
          sql<string>`cast(${p("type")} as text)`.as("type"),
          member("state").as("state"),
          integerMember("dueAt").as("due_at"),
          sql.lit(0).as("attempts"),
          sql.lit(0).as("tries"),
          sql<number>`cast(${p("createdAt")} as bigint)`.as("created_at"),
        ]),
    ),
);

/**
 * Makes queues due at `now` or earlier. Every transaction that locks several queues locks them by id, which avoids deadlocks.
 * `webhookIds` is a JSON array.
 */
export const wakeQueues = prepare<{ webhookIds: string; now: number }>("webhookQueues.wake").write(
  ({ db, p, isElement, least, greatest, forUpdate }) =>
    db
      .with("woken", (cte) =>
        cte
          .selectFrom("webhook_queues")
          .select("webhook_id")
          .where((eb) => isElement(eb.ref("webhook_id"), "webhookIds"))
          .where("deleted_at", "is", null)
          .orderBy("webhook_id")
          .modifyEnd(forUpdate),
      )
      .updateTable("webhook_queues")
      .set((eb) => {
        const dueAt = least(eb.ref("due_at"), p("now"));
        return { due_at: dueAt, ready_at: greatest(dueAt, eb.ref("held_until")) };
      })
      .where("webhook_id", "in", (eb) => eb.selectFrom("woken").select("woken.webhook_id")),
  { gathers: "webhookIds" },
);
