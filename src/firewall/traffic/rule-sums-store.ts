// Statements on the number of requests by rule, action and hour.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

type Project = { ownerId: string; projectId: string };

/** The sums of the keys `{hour, action, ruleId}`; null for one that is not stored. */
export const findRules = prepare<Project & { keys: string }>("traffic.findRules").many(
  ({ db, p, objects, member, integerMember }) =>
    db
      .selectFrom(objects("keys"))
      .select([
        integerMember("hour").as("hour"),
        member("action").as("action"),
        member("ruleId").as("ruleId"),
        db
          .selectFrom("firewall_traffic_rules")
          .select("count")
          .where("ownerId", "=", p("ownerId"))
          .where("projectId", "=", p("projectId"))
          .where("hour", "=", integerMember("hour"))
          .where("action", "=", member("action"))
          .where("ruleId", "=", member("ruleId"))
          .as("count"),
      ]),
);

/** The number of rows with a rule in each of the hours `{hour}`. */
export const countRules = prepare<Project & { keys: string }>("traffic.countRules").many(
  ({ db, p, objects, integerMember }) =>
    db.selectFrom(objects("keys")).select([
      integerMember("hour").as("hour"),
      db
        .selectFrom("firewall_traffic_rules")
        .select(({ fn }) => fn.countAll<number>().as("rows"))
        .where("ownerId", "=", p("ownerId"))
        .where("projectId", "=", p("projectId"))
        .where("hour", "=", integerMember("hour"))
        .where("ruleId", "<>", "")
        .as("rows"),
    ]),
);

export const putRules = prepare<Project & { rows: string }>("traffic.putRules").write(
  ({ db, p, objects, member, integerMember, excluded }) =>
    db
      .insertInto("firewall_traffic_rules")
      .columns(["ownerId", "projectId", "hour", "action", "ruleId", "count"])
      .expression(
        db
          .selectFrom(objects("rows"))
          .select([
            sql<string>`cast(${p("ownerId")} as text)`.as("ownerId"),
            sql<string>`cast(${p("projectId")} as text)`.as("projectId"),
            integerMember("hour").as("hour"),
            member("action").as("action"),
            member("ruleId").as("ruleId"),
            integerMember("count").as("count"),
          ])
          .where(sql<boolean>`1 = 1`),
      )
      .onConflict((conflict) =>
        conflict.columns(["ownerId", "projectId", "hour", "action", "ruleId"]).doUpdateSet(excluded("count")),
      ),
);

/**
 * The requests from `from` to before `to` in spans of `span` ms since the epoch, by action and, when `byRule` is 1, by rule.
 * Each hour has a bounded number of rows.
 */
export const sumRules = prepare<Project & { from: number; to: number; span: number; byRule: 0 | 1 }>(
  "traffic.sumRules",
).many(({ db, p }) =>
  db
    .selectFrom(
      db
        .selectFrom("firewall_traffic_rules")
        .select([
          sql<number>`hour - hour % cast(${p("span")} as bigint)`.as("start"),
          "action",
          sql<string>`case when cast(${p("byRule")} as bigint) = 1 then rule_id else '' end`.as("ruleId"),
          sql<number>`cast(count as double precision)`.as("count"),
        ])
        .where("ownerId", "=", p("ownerId"))
        .where("projectId", "=", p("projectId"))
        .where("hour", ">=", p("from"))
        .where("hour", "<", p("to"))
        .as("counted"),
    )
    .select(({ fn }) => ["start", "action", "ruleId", fn.sum<number>("count").as("count")])
    .groupBy(["start", "action", "ruleId"]),
);

export const deleteRules = prepare<{ before: number; limit: number }>("traffic.deleteRules").run(({ db, p }) =>
  db
    .deleteFrom("firewall_traffic_rules")
    .where(({ eb, refTuple }) =>
      eb(
        refTuple("ownerId", "projectId", "hour"),
        "in",
        db
          .selectFrom("firewall_traffic_rules")
          .select(["ownerId", "projectId", "hour"])
          .where("hour", "<", p("before"))
          .orderBy("hour")
          .limit(p("limit"))
          .$asTuple("ownerId", "projectId", "hour"),
      ),
    ),
);
