// Reads of the log of deliveries. Each reads a range of one index, so a page costs the same however many deliveries there are.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { prepare } from "../../store/prepared.ts";
import type { Tables } from "../../store/tables/tables.ts";

export type DeliveryRow = Tables["webhook_deliveries"];
export type Direction = "newest" | "oldest";

type WebhookKey = { ownerId: string; webhookId: string };
type RangeParams = WebhookKey & { after: number; before: number; limit: number };

const ofWebhook = ({ p }: { p: (name: keyof WebhookKey) => unknown }): RawBuilder<unknown> =>
  sql`webhook_id = ${p("webhookId")} and owner_id = ${p("ownerId")}`;

/** The deliveries of the events between two sequences. */
const findInRange = (direction: Direction) =>
  prepare<RangeParams>(`webhookDeliveries.find-${direction}`).many(({ db, p }) =>
    db
      .selectFrom("webhook_deliveries")
      .selectAll()
      .where("webhook_id", "=", p("webhookId"))
      .where("owner_id", "=", p("ownerId"))
      .where("sequence", ">", p("after"))
      .where("sequence", "<", p("before"))
      .orderBy("sequence", direction === "newest" ? "desc" : "asc")
      .limit(p("limit")),
  );

export const findDeliveries = { newest: findInRange("newest"), oldest: findInRange("oldest") };

/**
 * The sequences of the first deliveries of each stream, merged; `streams` is a JSON array of `{state, type}`. The query bounds
 * rows by row values and orders them by the whole key, which only the one index serves.
 */
const findInStreams = (direction: Direction) =>
  prepare<RangeParams & { streams: string }>(`webhookDeliveries.find-${direction}-by-state`).many((build) => {
    const { db, p, eachElement } = build;
    const order = direction === "newest" ? sql`desc` : sql`asc`;
    const columns = ["webhook_id", "state", "type", "sequence"].map((column) => sql.ref(column));
    const key = sql`(${sql.join(columns)})`;
    const found = eachElement("streams", (field) => {
      const at = (sequence: "after" | "before") =>
        sql`(${sql.join([p("webhookId"), field("state"), field("type"), p(sequence)])})`;
      return sql<{ sequence: number }>`select sequence from webhook_deliveries
        where ${key} > ${at("after")} and ${key} < ${at("before")} and owner_id = ${p("ownerId")}
        order by ${sql.join(columns.map((column) => sql`${column} ${order}`))} limit ${p("limit")}`;
    });
    return db
      .selectFrom(found.as("found"))
      .select("found.sequence")
      .orderBy("found.sequence", direction === "newest" ? "desc" : "asc")
      .limit(p("limit"));
  });

export const findSequences = { newest: findInStreams("newest"), oldest: findInStreams("oldest") };

/**
 * The types of the deliveries in some states. It takes as many index look-ups as there are types, however many deliveries.
 * `states` is a JSON array of `{state}`.
 */
export const findPresent = prepare<WebhookKey & { states: string }>("webhookDeliveries.findPresent").many((build) => {
  const { db, objects, member } = build;
  const least = (state: RawBuilder<unknown>, rest = sql``) =>
    sql`(select min(type) from webhook_deliveries where ${ofWebhook(build)} and state = ${state} ${rest})`;
  return db
    .selectFrom(
      sql<{ state: string; type: string }>`(with recursive present (state, type) as (
        select ${member("state")}, ${least(member("state"))} from ${objects("states")}
        union all
        select present.state,
          ${least(sql`present.state`, sql`and webhook_deliveries.type > present.type`)}
        from present where present.type is not null
      ) select state, type from present where type is not null)`.as("present_types"),
    )
    .select(["state", "type"]);
});

/** `sequences` is a JSON array. */
export const findDeliveriesAt = prepare<WebhookKey & { sequences: string }>("webhookDeliveries.findAt").many(
  ({ db, p, integers }) =>
    db
      .selectFrom("webhook_deliveries")
      .selectAll()
      .where("webhook_id", "=", p("webhookId"))
      .where("owner_id", "=", p("ownerId"))
      .where("sequence", "in", integers("sequences")),
);

/**
 * The lowest sequence whose event is not before a time (ms), or the one after the last: a binary search, since later events have
 * no earlier times. The events would show it too, but they may be deleted before their deliveries.
 */
export const findFirstSince = prepare<WebhookKey & { time: number }>("webhookDeliveries.findFirstSince").one(
  (build) => {
    const { db, p } = build;
    const end = (order: "asc" | "desc") => sql`(select sequence from webhook_deliveries where ${ofWebhook(build)}
    order by sequence ${sql.raw(order)} limit 1)`;
    const middle = sql`(low + high) / 2`;
    const isEarlier = sql`(select created_at from webhook_deliveries where ${ofWebhook(build)} and sequence >= ${middle}
    order by sequence limit 1) < ${p("time")}`;
    return db
      .selectFrom(
        sql<{ sequence: number }>`(with recursive halves (low, high) as (
        select coalesce(${end("asc")}, 1), coalesce(${end("desc")}, 0) + 1
        union all
        select case when ${isEarlier} then ${middle} + 1 else low end, case when ${isEarlier} then high else ${middle} end
        from halves where low < high
      ) select low as sequence from halves where low >= high)`.as("halved"),
      )
      .select("sequence");
  },
);

export const findDelivery = prepare<WebhookKey & { sequence: number }>("webhookDeliveries.find").one(({ db, p }) =>
  db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("sequence", "=", p("sequence")),
);

/** The parts of a body that its delivery does not have; undefined when the event was deleted. */
export const findPayload = prepare<{ ownerId: string; sequence: number }>("webhookDeliveries.findPayload").one(
  ({ db, p }) =>
    db
      .selectFrom("events")
      .select(["payload", "user_id"])
      .where("owner_id", "=", p("ownerId"))
      .where("sequence", "=", p("sequence")),
);

export type AttemptRow = Omit<Tables["webhook_attempts"], "webhook_id" | "sequence">;

/** The last attempts of a delivery, newest first. */
export const listAttempts = prepare<WebhookKey & { sequence: number; limit: number }>("webhookAttempts.list").many(
  ({ db, p }) =>
    db
      .selectFrom("webhook_attempts as attempt")
      .select([
        "attempt.number",
        "attempt.started_at",
        "attempt.duration_ms",
        "attempt.status",
        "attempt.error_stage",
        "attempt.error",
        "attempt.request_headers",
        "attempt.response_headers",
        "attempt.response_body",
        "attempt.is_truncated",
      ])
      .where("attempt.webhook_id", "=", p("webhookId"))
      .where("attempt.sequence", "=", p("sequence"))
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("webhook_deliveries as delivery")
            .select("delivery.sequence")
            .where("delivery.webhook_id", "=", p("webhookId"))
            .where("delivery.sequence", "=", p("sequence"))
            .where("delivery.owner_id", "=", p("ownerId")),
        ),
      )
      .orderBy("attempt.number", "desc")
      .limit(p("limit")),
);
