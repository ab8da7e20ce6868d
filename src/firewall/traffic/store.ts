// Statements on the outcomes of requests. Lists of keys and rows are passed as JSON arrays of objects. A subquery looks up each
// key: given a join, both engines may scan the whole project.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";

type Project = { ownerId: string; projectId: string };

/** The counts of the entries `{host, minute, ip, action, ruleId}`; null for one that is not stored. */
export const findEntries = prepare<Project & { keys: string }>("traffic.findEntries").many(
  ({ db, p, objects, member, integerMember }) =>
    db
      .selectFrom(objects("keys"))
      .select([
        member("host").as("host"),
        integerMember("minute").as("minute"),
        member("ip").as("ip"),
        member("action").as("action"),
        member("ruleId").as("ruleId"),
        db
          .selectFrom("firewall_traffic")
          .select("count")
          .where("ownerId", "=", p("ownerId"))
          .where("projectId", "=", p("projectId"))
          .where("host", "=", member("host"))
          .where("minute", "=", integerMember("minute"))
          .where("ip", "=", member("ip"))
          .where("action", "=", member("action"))
          .where("ruleId", "=", member("ruleId"))
          .as("count"),
      ]),
);

/** The totals of the minutes `{host, time}`; null for one that is not stored. */
export const findMinutes = prepare<Project & { keys: string }>("traffic.findMinutes").many(
  ({ db, p, objects, member, integerMember }) => {
    const stored = (column: "total" | "denied" | "challenged" | "entries") =>
      db
        .selectFrom("firewall_traffic_minutes")
        .select(column)
        .where("ownerId", "=", p("ownerId"))
        .where("projectId", "=", p("projectId"))
        .where("host", "=", member("host"))
        .where("minute", "=", integerMember("time"));
    return db
      .selectFrom(objects("keys"))
      .select([
        member("host").as("host"),
        integerMember("time").as("minute"),
        stored("total").as("total"),
        stored("denied").as("denied"),
        stored("challenged").as("challenged"),
        stored("entries").as("entries"),
      ]);
  },
);

/** The totals of the hours `{host, time}`; null for one that is not stored. */
export const findHours = prepare<Project & { keys: string }>("traffic.findHours").many(
  ({ db, p, objects, member, integerMember }) => {
    const stored = (column: "total" | "squares" | "peak") =>
      db
        .selectFrom("firewall_traffic_hours")
        .select(column)
        .where("ownerId", "=", p("ownerId"))
        .where("projectId", "=", p("projectId"))
        .where("host", "=", member("host"))
        .where("hour", "=", integerMember("time"));
    return db
      .selectFrom(objects("keys"))
      .select([
        member("host").as("host"),
        integerMember("time").as("hour"),
        stored("total").as("total"),
        stored("squares").as("squares"),
        stored("peak").as("peak"),
      ]);
  },
);

/** Inserts entries or replaces them. */
export const putEntries = prepare<Project & { rows: string }>("traffic.putEntries").write(
  ({ db, p, objects, member, integerMember, excluded }) =>
    db
      .insertInto("firewall_traffic")
      .columns(["ownerId", "projectId", "host", "minute", "ip", "action", "ruleId", "count"])
      .expression(
        db
          .selectFrom(objects("rows"))
          .select([
            sql<string>`cast(${p("ownerId")} as text)`.as("ownerId"),
            sql<string>`cast(${p("projectId")} as text)`.as("projectId"),
            member("host").as("host"),
            integerMember("minute").as("minute"),
            member("ip").as("ip"),
            member("action").as("action"),
            member("ruleId").as("ruleId"),
            integerMember("count").as("count"),
          ])
          // Without a WHERE clause SQLite parses ON CONFLICT as the condition of a join.
          .where(sql<boolean>`1 = 1`),
      )
      .onConflict((conflict) =>
        conflict
          .columns(["ownerId", "projectId", "host", "minute", "ip", "action", "ruleId"])
          .doUpdateSet(excluded("count")),
      ),
);

export const putMinutes = prepare<Project & { rows: string }>("traffic.putMinutes").write(
  ({ db, p, objects, member, integerMember, excluded }) =>
    db
      .insertInto("firewall_traffic_minutes")
      .columns(["ownerId", "projectId", "host", "minute", "total", "denied", "challenged", "entries"])
      .expression(
        db
          .selectFrom(objects("rows"))
          .select([
            sql<string>`cast(${p("ownerId")} as text)`.as("ownerId"),
            sql<string>`cast(${p("projectId")} as text)`.as("projectId"),
            member("host").as("host"),
            integerMember("minute").as("minute"),
            integerMember("total").as("total"),
            integerMember("denied").as("denied"),
            integerMember("challenged").as("challenged"),
            integerMember("entries").as("entries"),
          ])
          .where(sql<boolean>`1 = 1`),
      )
      .onConflict((conflict) =>
        conflict
          .columns(["ownerId", "projectId", "host", "minute"])
          .doUpdateSet(excluded("total", "denied", "challenged", "entries")),
      ),
);

export const putHours = prepare<Project & { rows: string }>("traffic.putHours").write(
  ({ db, p, objects, member, integerMember, excluded }) =>
    db
      .insertInto("firewall_traffic_hours")
      .columns(["ownerId", "projectId", "host", "hour", "total", "squares", "peak"])
      .expression(
        db
          .selectFrom(objects("rows"))
          .select([
            sql<string>`cast(${p("ownerId")} as text)`.as("ownerId"),
            sql<string>`cast(${p("projectId")} as text)`.as("projectId"),
            member("host").as("host"),
            integerMember("hour").as("hour"),
            integerMember("total").as("total"),
            sql<number>`cast(${member("squares")} as double precision)`.as("squares"),
            integerMember("peak").as("peak"),
          ])
          .where(sql<boolean>`1 = 1`),
      )
      .onConflict((conflict) =>
        conflict.columns(["ownerId", "projectId", "host", "hour"]).doUpdateSet(excluded("total", "squares", "peak")),
      ),
);

type Range = Project & { from: number; to: number; limit: number };

const LISTED = ["host", "minute", "ip", "action", "ruleId", "count"] as const;

function entriesIn<P extends Range>({ db, p }: Build<P>) {
  return db
    .selectFrom("firewall_traffic")
    .select(LISTED)
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("minute", ">=", p("from"))
    .where("minute", "<=", p("to"))
    .orderBy("minute", "desc")
    .limit(p("limit"));
}

/** The entries of the minutes from `from` to `to`, newest first. */
export const listEntries = prepare<Range>("traffic.listEntries").many((b) => entriesIn(b));

export const listEntriesOfHost = prepare<Range & { host: string }>("traffic.listEntriesOfHost").many((b) =>
  entriesIn(b).where("host", "=", b.p("host")),
);

/** The requests of all hosts by minute. */
export const listMinutes = prepare<Range>("traffic.listMinutes").many(({ db, p }) =>
  db
    .selectFrom("firewall_traffic_minutes")
    .select(["minute", "total"])
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("host", "=", "")
    .where("minute", ">=", p("from"))
    .where("minute", "<=", p("to"))
    .orderBy("minute", "desc")
    .limit(p("limit")),
);
