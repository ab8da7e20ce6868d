// Statements that find attacks, and that delete expired rows.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";
import { MIN_REQUESTS } from "./traffic-schema.ts";

type Project = { ownerId: string; projectId: string };

/** Hours with a busy minute, newest first. The partial index on busy hours has the same threshold. */
export const listBusyHours = prepare<Project & { from: number; limit: number }>("traffic.listBusyHours").many(
  ({ db, p }) =>
    db
      .selectFrom("firewall_traffic_hours")
      .select(["host", "hour", "peak"])
      .where("ownerId", "=", p("ownerId"))
      .where("projectId", "=", p("projectId"))
      .where("hour", ">=", p("from"))
      .where("peak", ">=", sql.lit(MIN_REQUESTS))
      .orderBy("hour", "desc")
      .limit(p("limit")),
);

/** The hours of some hosts (a JSON array). Retention bounds the hours of each host. */
export const listHours = prepare<Project & { hosts: string; from: number }>("traffic.listHours").many(
  ({ db, p, elements }) =>
    db
      .selectFrom("firewall_traffic_hours")
      .select(["host", "hour", "total", "squares"])
      .where("ownerId", "=", p("ownerId"))
      .where("projectId", "=", p("projectId"))
      .where("host", "in", elements("hosts"))
      .where("hour", ">=", p("from")),
);

/** The minutes of a host from `from` to before `to`, in order. The caller requests little more than an hour. */
export const listMinutes = prepare<Project & { host: string; from: number; to: number }>("traffic.listMinutes").many(
  ({ db, p }) =>
    db
      .selectFrom("firewall_traffic_minutes")
      .select(["minute", "total", "denied", "challenged"])
      .where("ownerId", "=", p("ownerId"))
      .where("projectId", "=", p("projectId"))
      .where("host", "=", p("host"))
      .where("minute", ">=", p("from"))
      .where("minute", "<", p("to"))
      .orderBy("minute"),
);

/** A batch of minutes before `before`, of all owners. */
export const listOldMinutes = prepare<{ before: number; limit: number }>("traffic.listOldMinutes").many(({ db, p }) =>
  db
    .selectFrom("firewall_traffic_minutes")
    .select(["ownerId", "projectId", "host", "minute"])
    .where("minute", "<", p("before"))
    .orderBy("minute")
    .limit(p("limit")),
);

/** The minutes in a JSON array of `{ownerId, projectId, host, minute}`. */
function minuteKeys({ db, objects, member, integerMember }: Build<{ keys: string }>) {
  return db
    .selectFrom(objects("keys"))
    .select([
      member("ownerId").as("ownerId"),
      member("projectId").as("projectId"),
      member("host").as("host"),
      integerMember("minute").as("minute"),
    ])
    .$asTuple("ownerId", "projectId", "host", "minute");
}

/** Deletes the entries of the given minutes. */
export const deleteEntries = prepare<{ keys: string }>("traffic.deleteEntries").run((b) =>
  b.db
    .deleteFrom("firewall_traffic")
    .where(({ eb, refTuple }) => eb(refTuple("ownerId", "projectId", "host", "minute"), "in", minuteKeys(b))),
);

export const deleteMinutes = prepare<{ keys: string }>("traffic.deleteMinutes").run((b) =>
  b.db
    .deleteFrom("firewall_traffic_minutes")
    .where(({ eb, refTuple }) => eb(refTuple("ownerId", "projectId", "host", "minute"), "in", minuteKeys(b))),
);

export const deleteHours = prepare<{ before: number; limit: number }>("traffic.deleteHours").run(({ db, p }) =>
  db
    .deleteFrom("firewall_traffic_hours")
    .where(({ eb, refTuple }) =>
      eb(
        refTuple("ownerId", "projectId", "host", "hour"),
        "in",
        db
          .selectFrom("firewall_traffic_hours")
          .select(["ownerId", "projectId", "host", "hour"])
          .where("hour", "<", p("before"))
          .orderBy("hour")
          .limit(p("limit"))
          .$asTuple("ownerId", "projectId", "host", "hour"),
      ),
    ),
);
