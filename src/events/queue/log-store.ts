// Reads of the log of deliveries. Each reads a range of one index, so a page costs the same however many deliveries there are.
import { sql } from "kysely";
import type { Expression } from "kysely";
import { LAST_NUMBER, LAST_TEXT, firstOfRange, rangeOf } from "../../platform/store/list-order.ts";
import type { Build } from "../../platform/store/build.ts";
import { prepare } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

export type DeliveryRow = Tables["webhook_deliveries"] & {
  /** How long its last attempt took, ms; null: there was none. */
  readonly durationMs: number | null;
};
export type Direction = "newest" | "oldest";

type WebhookKey = { ownerId: string; webhookId: string };
type RangeParams = WebhookKey & { after: number; before: number; limit: number };

/** PostgreSQL expects half of the rows to have the owner: with fewer it would read all deliveries and sort them. */
const isOf = (ownerId: Expression<string>) => sql<boolean>`case when owner_id = ${ownerId} then true else false end`;

const keyOf = (webhookId: Expression<string>) => ({
  columns: [sql.ref("webhookId"), sql.ref("sequence")],
  values: [webhookId],
});

/** By the key of the attempt. */
const LAST_DURATION = sql<number | null>`(select attempt.duration_ms from webhook_attempts as attempt
  where attempt.webhook_id = webhook_deliveries.webhook_id and attempt.sequence = webhook_deliveries.sequence
    and attempt.number = webhook_deliveries.attempts)`.as("durationMs");

/** The deliveries of the events between two sequences. */
const findInRange = (direction: Direction) =>
  prepare<RangeParams>(`webhookDeliveries.find-${direction}`).many(({ db, p }) => {
    const bounds = { after: p("after"), before: p("before") };
    const { isWithin, inOrder } = rangeOf(keyOf(p("webhookId")), bounds, direction === "newest" ? "desc" : "asc");
    return db
      .selectFrom("webhook_deliveries")
      .selectAll()
      .select(LAST_DURATION)
      .where(isWithin)
      .where(isOf(p("ownerId")))
      .orderBy(inOrder)
      .limit(p("limit"));
  });

export const findDeliveries = { newest: findInRange("newest"), oldest: findInRange("oldest") };

type StreamParams = WebhookKey & { after: number; before: number; streams: string };

/** The sequences of the first deliveries of each stream; `streams` is a JSON array of `{state, type}`. */
export function firstOfStreams(
  { p, eachElement }: Pick<Build<StreamParams>, "p" | "eachElement">,
  order: "asc" | "desc",
  limit: Expression<number>,
) {
  const columns = ["webhookId", "state", "type", "sequence"].map((column) => sql.ref(column));
  const bounds = { after: p("after"), before: p("before") };
  return eachElement("streams", (field) => {
    const key = { columns, values: [p("webhookId"), field("state"), field("type")] };
    const first = firstOfRange("webhook_deliveries", key, bounds, order, limit, { column: "ownerId" });
    return sql<{ sequence: number }>`select sequence from ${first} as first where owner_id = ${p("ownerId")}`;
  });
}

/** The same, merged. */
const findInStreams = (direction: Direction) =>
  prepare<StreamParams & { limit: number }>(`webhookDeliveries.find-${direction}-by-state`).many((build) => {
    const { db, p } = build;
    const order = direction === "newest" ? "desc" : "asc";
    const found = firstOfStreams(build, order, p("limit"));
    return db.selectFrom(found.as("found")).select("found.sequence").orderBy("found.sequence", order).limit(p("limit"));
  });

export const findSequences = { newest: findInStreams("newest"), oldest: findInStreams("oldest") };

/**
 * The types of the deliveries in some states. It takes as many index look-ups as there are types, however many deliveries.
 * `states` is a JSON array of `{state}`.
 */
export const findPresent = prepare<WebhookKey & { states: string }>("webhookDeliveries.findPresent").many((build) => {
  const { db, p, objects, member } = build;
  const columns = ["webhookId", "state", "type"].map((column) => sql.ref(column));
  const next = (state: Expression<unknown>, after: Expression<unknown>) => {
    const key = { columns, values: [p("webhookId"), state] };
    const { isWithin, inOrder } = rangeOf(key, { after, before: LAST_TEXT }, "asc");
    return sql`(select type from webhook_deliveries
      where ${isWithin} and ${isOf(p("ownerId"))} order by ${inOrder} limit 1)`;
  };
  return db
    .selectFrom(
      sql<{ state: string; type: string }>`(with recursive present (state, type) as (
        select ${member("state")}, ${next(member("state"), sql.lit(""))} from ${objects("states")}
        union all
        select present.state, ${next(sql`present.state`, sql`present.type`)}
        from present where present.type is not null
      ) select state, type from present where type is not null)`.as("presentTypes"),
    )
    .select(["state", "type"]);
});

/** `sequences` is a JSON array. */
export const findDeliveriesAt = prepare<WebhookKey & { sequences: string }>("webhookDeliveries.findAt").many(
  ({ db, p, numbers, element, rowsAt }) => {
    const key = { webhookId: p("webhookId"), sequence: element };
    return db
      .selectFrom(rowsAt("webhook_deliveries", numbers("sequences"), key))
      .selectAll()
      .select(LAST_DURATION)
      .where("ownerId", "=", p("ownerId"));
  },
);

/**
 * The lowest sequence whose event is not before a time (ms), or the one after the last: a binary search, since later events have
 * no earlier times. The events would show it too, but they may be deleted before their deliveries.
 */
export const findFirstSince = prepare<WebhookKey & { time: number }>("webhookDeliveries.findFirstSince").one(
  (build) => {
    const { db, p } = build;
    const first = (column: "sequence" | "createdAt", after: Expression<unknown>, order: "asc" | "desc") => {
      const { isWithin, inOrder } = rangeOf(keyOf(p("webhookId")), { after, before: LAST_NUMBER }, order);
      return sql`(select ${sql.ref(column)} from webhook_deliveries
        where ${isWithin} and ${isOf(p("ownerId"))} order by ${inOrder} limit 1)`;
    };
    const end = (order: "asc" | "desc") => first("sequence", sql.lit(0), order);
    const middle = sql`(low + high) / 2`;
    const isEarlier = sql`${first("createdAt", sql`${middle} - 1`, "asc")} < ${p("time")}`;
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
    .select(LAST_DURATION)
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId"))
    .where("sequence", "=", p("sequence")),
);

/** The parts of a body that its delivery does not have; undefined when the event was deleted. */
export const findPayload = prepare<{ ownerId: string; sequence: number }>("webhookDeliveries.findPayload").one(
  ({ db, p }) =>
    db
      .selectFrom("events")
      .select(["payload", "userId"])
      .where("ownerId", "=", p("ownerId"))
      .where("sequence", "=", p("sequence")),
);

export type AttemptRow = Omit<Tables["webhook_attempts"], "webhookId" | "sequence">;

/** The last attempts of a delivery, newest first. */
export const listAttempts = prepare<WebhookKey & { sequence: number; limit: number }>("webhookAttempts.list").many(
  ({ db, p }) =>
    db
      .selectFrom("webhook_attempts as attempt")
      .select([
        "attempt.number",
        "attempt.startedAt",
        "attempt.durationMs",
        "attempt.status",
        "attempt.errorStage",
        "attempt.error",
        "attempt.requestHeaders",
        "attempt.responseHeaders",
        "attempt.responseBody",
        "attempt.isTruncated",
      ])
      .where("attempt.webhookId", "=", p("webhookId"))
      .where("attempt.sequence", "=", p("sequence"))
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("webhook_deliveries as delivery")
            .select("delivery.sequence")
            .where("delivery.webhookId", "=", p("webhookId"))
            .where("delivery.sequence", "=", p("sequence"))
            .where("delivery.ownerId", "=", p("ownerId")),
        ),
      )
      .orderBy("attempt.number", "desc")
      .limit(p("limit")),
);
