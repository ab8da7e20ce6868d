// What the log tells of a webhook's latest deliveries, from a bounded number of rows.
import { sql } from "kysely";
import type { Expression } from "kysely";
import { LAST_NUMBER, LAST_TEXT, countOfRange, rangeOf } from "../../platform/store/list-order.ts";
import { prepare } from "../../platform/store/prepared.ts";

type Latest = { ownerId: string; webhookId: string; after: number; limit: number };

const latest = (webhookId: Expression<string>, after: Expression<number>) =>
  rangeOf(
    { columns: [sql.ref("webhookId"), sql.ref("sequence")], values: [webhookId] },
    { after, before: LAST_NUMBER },
    "desc",
  );

/** How many of the newest deliveries after a sequence are in each state, by the period of their event; `since` begins the first period. */
export const countLatest = prepare<Latest & { since: number; periodMs: number }>("webhookDeliveries.countLatest").many(
  ({ db, p }) => {
    const { isWithin, inOrder } = latest(p("webhookId"), p("after"));
    const newest = db
      .selectFrom("webhook_deliveries")
      .select(["state", "createdAt"])
      .where(isWithin)
      .where(sql<boolean>`case when owner_id = ${p("ownerId")} then true else false end`)
      .orderBy(inOrder)
      .limit(p("limit"));
    const period = sql<number>`(newest.created_at - cast(${p("since")} as bigint)) / cast(${p("periodMs")} as bigint)`;
    return db
      .selectFrom(newest.as("newest"))
      .select(({ fn }) => [
        period.as("period"),
        "newest.state",
        fn.countAll<number>().as("count"),
        fn.min("newest.createdAt").as("oldestAt"),
      ])
      .groupBy([sql`1`, "newest.state"]);
  },
);

/** The durations of the attempts of the newest deliveries after a sequence; a status of null: there was no response. */
export const listDurations = prepare<Latest>("webhookAttempts.listDurations").many(({ db, p }) => {
  const { isWithin, inOrder } = latest(p("webhookId"), p("after"));
  return db
    .selectFrom("webhook_attempts")
    .select(["durationMs", "status"])
    .where(isWithin)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("webhooks")
          .select("webhooks.id")
          .where("webhooks.id", "=", p("webhookId"))
          .where("webhooks.ownerId", "=", p("ownerId")),
      ),
    )
    .orderBy(inOrder)
    .limit(p("limit"));
});

/** How many deliveries are in some states, each counted up to a limit. `states` is a JSON array of `{state}`. */
export const countStates = prepare<{ ownerId: string; webhookId: string; states: string; limit: number }>(
  "webhookDeliveries.countStates",
).many(({ db, p, objects, member }) => {
  const columns = ["webhookId", "state", "type"].map((column) => sql.ref(column));
  const key = { columns, values: [p("webhookId"), member("state")] };
  const ends = { after: sql.lit(""), before: LAST_TEXT };
  const count = countOfRange("webhook_deliveries", key, ends, sql`owner_id = ${p("ownerId")}`, p("limit"));
  return db.selectFrom(objects("states")).select([member("state").as("state"), count.as("count")]);
});
