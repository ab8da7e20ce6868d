// Statements on sessions.
import { prepare } from "../../platform/store/prepared.ts";

/** A session with its user: everything that authenticating a request needs, in one read. */
export const findSessionWithUser = prepare<{ hash: string; createdAfter: number; activeAfter: number }>(
  "sessions.findWithUser",
).one(({ db, p, present }) =>
  db
    .selectFrom("sessions as session")
    .innerJoin("users as user", "user.id", "session.userId")
    .select(({ ref }) => [
      "session.id as sessionId",
      "session.activeAt",
      "session.provedAt",
      "session.createdAt as sessionCreatedAt",
      "user.id",
      "user.email",
      "user.username",
      "user.name",
      "user.avatar",
      "user.isAdmin",
      "user.createdAt",
      "user.revision",
      present(ref("user.defaultTeamId")).as("defaultTeamId"),
    ])
    .where("session.hash", "=", p("hash"))
    .where("session.createdAt", ">", p("createdAfter"))
    .where("session.activeAt", ">", p("activeAfter"))
    .where("user.suspendedAt", "is", null),
);

export const insertSession = prepare<{ now: number; position: number }>("sessions.insert").insert(
  "sessions",
  ({ p, nextPosition }) => ({
    activeAt: p("now"),
    createdAt: p("now"),
    position: nextPosition("sessions", { column: "userId", param: "userId" }),
  }),
);

type Live = { userId: string; createdAfter: number; activeAfter: number };

export const listSessions = prepare<Live>("sessions.list").page(({ db, p }) =>
  db
    .selectFrom("sessions")
    .selectAll()
    .where("userId", "=", p("userId"))
    .where("createdAt", ">", p("createdAfter"))
    .where("activeAt", ">", p("activeAfter")),
);

export const findSession = prepare<{ userId: string; id: string }>("sessions.find").one(({ db, p }) =>
  db.selectFrom("sessions").selectAll().where("userId", "=", p("userId")).where("id", "=", p("id")),
);
export type SessionRow = NonNullable<Awaited<ReturnType<typeof findSession>>>;

export const deleteSession = prepare<{ userId: string; id: string }>("sessions.delete").write(({ db, p }) =>
  db.deleteFrom("sessions").where("userId", "=", p("userId")).where("id", "=", p("id")),
);

/** All sessions of an account but one. */
export const deleteOtherSessions = prepare<{ userId: string; exceptId: string }>("sessions.deleteOthers").run(
  ({ db, p }) => db.deleteFrom("sessions").where("userId", "=", p("userId")).where("id", "!=", p("exceptId")),
);

/** The oldest sessions of an account beyond its `kept` newest. */
export const deleteOldestSessions = prepare<{ userId: string; kept: number }>("sessions.deleteOldest").write(
  ({ db, p }) =>
    db
      .deleteFrom("sessions")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("sessions")
          .select("id")
          .where("userId", "=", p("userId"))
          .orderBy("position", "desc")
          .limit(1_000)
          .offset(p("kept")),
      ),
);

export const proveSession = prepare<{ userId: string; id: string; now: number }>("sessions.prove").run(({ db, p }) =>
  db
    .updateTable("sessions")
    .set({ provedAt: p("now") })
    .where("userId", "=", p("userId"))
    .where("id", "=", p("id")),
);

/** Notes the last use of many sessions; `ids` is a JSON array. */
export const touchSessions = prepare<{ ids: string; activeAt: number }>("sessions.touch").write(({ db, p, elements }) =>
  db
    .updateTable("sessions")
    .set({ activeAt: p("activeAt") })
    .where("id", "in", elements("ids"))
    .where("activeAt", "<", p("activeAt")),
);

/** Sessions whose lifetime is over, some at a time. */
export const deleteEndedSessions = prepare<{ createdBefore: number; limit: number }>("sessions.deleteEnded").run(
  ({ db, p }) =>
    db
      .deleteFrom("sessions")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("sessions")
          .select("id")
          .where("createdAt", "<=", p("createdBefore"))
          .orderBy("createdAt")
          .limit(p("limit")),
      ),
);
