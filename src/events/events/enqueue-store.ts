// Statements that queue an event for webhooks.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

/** The subscriptions of an owner's webhooks, at most a hundred. */
export const listSubscriptions = prepare<{ ownerId: string }>("webhooks.listSubscriptions").many(({ db, p }) =>
  db.selectFrom("webhooks").select(["id", "events", "projectIds", "isActive"]).where("ownerId", "=", p("ownerId")),
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
      "webhookId",
      "sequence",
      "ownerId",
      "eventId",
      "type",
      "state",
      "dueAt",
      "attempts",
      "tries",
      "createdAt",
    ])
    .expression((eb) =>
      eb
        .selectFrom(objects("targets"))
        .select([
          member("id").as("webhookId"),
          sql<number>`cast(${p("sequence")} as bigint)`.as("sequence"),
          sql<string>`cast(${p("ownerId")} as text)`.as("ownerId"),
          sql<string>`cast(${p("eventId")} as text)`.as("eventId"),
          sql<string>`cast(${p("type")} as text)`.as("type"),
          member("state").as("state"),
          integerMember("dueAt").as("dueAt"),
          sql.lit(0).as("attempts"),
          sql.lit(0).as("tries"),
          sql<number>`cast(${p("createdAt")} as bigint)`.as("createdAt"),
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
          .select("webhookId")
          .where((eb) => isElement(eb.ref("webhookId"), "webhookIds"))
          .where("deletedAt", "is", null)
          .orderBy("webhookId")
          .modifyEnd(forUpdate),
      )
      .updateTable("webhook_queues")
      .set((eb) => {
        const dueAt = least(eb.ref("dueAt"), p("now"));
        return { dueAt, readyAt: greatest(dueAt, eb.ref("heldUntil")) };
      })
      .where("webhookId", "in", (eb) => eb.selectFrom("woken").select("woken.webhookId")),
  { gathers: "webhookIds" },
);
