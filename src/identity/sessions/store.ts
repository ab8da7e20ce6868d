// Statements on sessions.
import { prepare } from "../../platform/store/prepared.ts";

/** A session with its user: everything that authenticating a request needs, in one read. */
export const findSessionWithUser = prepare<{ hash: string; createdAfter: number; activeAfter: number }>(
  "sessions.findWithUser",
).one(({ db, p, present }) =>
  db
    .selectFrom("sessions as session")
    .innerJoin("users as user", "user.id", "session.user_id")
    .select(({ ref }) => [
      "session.id as sessionId",
      "session.active_at as activeAt",
      "session.proved_at as provedAt",
      "session.created_at as sessionCreatedAt",
      "user.id as id",
      "user.email as email",
      "user.username as username",
      "user.name as name",
      "user.avatar as avatar",
      "user.is_admin as isAdmin",
      "user.created_at as createdAt",
      "user.revision as revision",
      present(ref("user.default_team_id")).as("defaultTeamId"),
    ])
    .where("session.hash", "=", p("hash"))
    .where("session.created_at", ">", p("createdAfter"))
    .where("session.active_at", ">", p("activeAfter"))
    .where("user.suspended_at", "is", null),
);

export const insertSession = prepare<{
  id: string;
  userId: string;
  hash: string;
  method: string;
  ip: string;
  userAgent: string | null;
  provedAt: number;
  now: number;
  position: number;
}>("sessions.insert").write(({ db, p, nextPosition }) =>
  db.insertInto("sessions").values({
    id: p("id"),
    user_id: p("userId"),
    hash: p("hash"),
    method: p("method"),
    ip: p("ip"),
    user_agent: p("userAgent"),
    proved_at: p("provedAt"),
    active_at: p("now"),
    created_at: p("now"),
    position: nextPosition("sessions", { column: "user_id", param: "userId" }),
  }),
);

type Live = { userId: string; createdAfter: number; activeAfter: number };

export const listSessions = prepare<Live>("sessions.list").page(({ db, p }) =>
  db
    .selectFrom("sessions")
    .selectAll()
    .where("user_id", "=", p("userId"))
    .where("created_at", ">", p("createdAfter"))
    .where("active_at", ">", p("activeAfter")),
);

export const findSession = prepare<{ userId: string; id: string }>("sessions.find").one(({ db, p }) =>
  db.selectFrom("sessions").selectAll().where("user_id", "=", p("userId")).where("id", "=", p("id")),
);
export type SessionRow = NonNullable<Awaited<ReturnType<typeof findSession>>>;

export const deleteSession = prepare<{ userId: string; id: string }>("sessions.delete").write(({ db, p }) =>
  db.deleteFrom("sessions").where("user_id", "=", p("userId")).where("id", "=", p("id")),
);

/** All sessions of an account but one. */
export const deleteOtherSessions = prepare<{ userId: string; exceptId: string }>("sessions.deleteOthers").run(
  ({ db, p }) => db.deleteFrom("sessions").where("user_id", "=", p("userId")).where("id", "!=", p("exceptId")),
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
          .where("user_id", "=", p("userId"))
          .orderBy("position", "desc")
          .limit(1_000)
          .offset(p("kept")),
      ),
);

export const proveSession = prepare<{ userId: string; id: string; now: number }>("sessions.prove").run(({ db, p }) =>
  db
    .updateTable("sessions")
    .set({ proved_at: p("now") })
    .where("user_id", "=", p("userId"))
    .where("id", "=", p("id")),
);

/** Notes the last use of many sessions; `ids` is a JSON array. */
export const touchSessions = prepare<{ ids: string; activeAt: number }>("sessions.touch").write(({ db, p, elements }) =>
  db
    .updateTable("sessions")
    .set({ active_at: p("activeAt") })
    .where("id", "in", elements("ids"))
    .where("active_at", "<", p("activeAt")),
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
          .where("created_at", "<=", p("createdBefore"))
          .orderBy("created_at")
          .limit(p("limit")),
      ),
);
