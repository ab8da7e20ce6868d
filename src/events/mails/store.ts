// Statements on queued mail, on the number of mails that users and teams cause in a day, on stopped mail by team and recipient, and
// on the key that signs the links that stop it.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

export const insertMail = prepare<{ id: string; kind: string; recipient: string; payload: string; now: number }>(
  "mails.insert",
).write(({ db, p }) =>
  db.insertInto("mails").values({
    id: p("id"),
    kind: p("kind"),
    recipient: p("recipient"),
    payload: p("payload"),
    attempts: 0,
    due_at: p("now"),
    created_at: p("now"),
  }),
);

export const findDue = prepare<{ now: number }>("mails.findDue").one(({ db, p }) =>
  db.selectFrom("mails").select("id").where("due_at", "<=", p("now")).orderBy("due_at").limit(1),
);

/** Claims due mails, the longest due first; nobody else claims them before `dueAt`. */
export const claim = prepare<{ now: number; dueAt: number; limit: number }>("mails.claim").many(
  ({ db, p, forUpdateSkipLocked }) =>
    db
      .with("due", (cte) =>
        cte
          .selectFrom("mails")
          .select("id")
          .where("due_at", "<=", p("now"))
          .orderBy("due_at")
          .limit(p("limit"))
          .modifyEnd(forUpdateSkipLocked),
      )
      .updateTable("mails")
      .set((eb) => ({ due_at: p("dueAt"), attempts: eb("attempts", "+", 1) }))
      .where("id", "in", (eb) => eb.selectFrom("due").select("due.id"))
      .returning(["id", "kind", "recipient", "payload", "attempts", "created_at as createdAt"]),
);

export const deleteClaimed = prepare<{ id: string; attempts: number }>("mails.delete").write(({ db, p }) =>
  db.deleteFrom("mails").where("id", "=", p("id")).where("attempts", "=", p("attempts")),
);

export const postponeClaimed = prepare<{ id: string; attempts: number; dueAt: number }>("mails.postpone").write(
  ({ db, p }) =>
    db
      .updateTable("mails")
      .set({ due_at: p("dueAt") })
      .where("id", "=", p("id"))
      .where("attempts", "=", p("attempts")),
);

/**
 * Makes mails due whose due time is after the latest possible one. `latest` is a JSON array of `{attempts, dueAt}`, whose last item
 * also counts for more attempts.
 */
export const makeSkewedDue = prepare<{ latest: string; last: number; now: number }>("mails.makeSkewedDue").write(
  ({ db, p, objects, integerMember, least }) =>
    db
      .updateTable("mails")
      .from(objects("latest"))
      .set({ due_at: p("now") })
      .where((eb) => sql<boolean>`${integerMember("attempts")} = ${least(eb.ref("mails.attempts"), p("last"))}`)
      .where("mails.due_at", ">", integerMember("dueAt")),
);

/** The number of mails that wait, `limit` at most, when the first of them was queued, and when the first became due; null: there are none. */
export const measureWaiting = prepare<{ limit: number }>("mails.measureWaiting").one(({ db, p }) =>
  db
    .selectFrom((eb) =>
      eb.selectFrom("mails").select(["created_at", "due_at"]).orderBy("due_at").limit(p("limit")).as("waiting"),
    )
    .select(({ fn }) => [
      fn.countAll<number>().as("waiting"),
      fn.min("waiting.created_at").as("oldestAt"),
      fn.min("waiting.due_at").as("oldestDueAt"),
    ]),
);

/** Counts mails of an owner, a user or a team, in a day. Returns undefined, and counts nothing, if they would exceed `limit`. */
export const countMails = prepare<{ day: number; ownerId: string; mails: number; limit: number }>("mails.count").one(
  ({ db, p }) =>
    db
      .insertInto("mail_counts")
      .values({ day: p("day"), owner_id: p("ownerId"), mails: p("mails") })
      .onConflict((conflict) =>
        conflict
          .columns(["day", "owner_id"])
          .doUpdateSet((eb) => ({ mails: eb("mail_counts.mails", "+", eb.ref("excluded.mails")) }))
          .where((eb) => eb(eb("mail_counts.mails", "+", eb.ref("excluded.mails")), "<=", p("limit"))),
      )
      .returning("mails"),
);

export const deleteCounts = prepare<{ day: number; limit: number }>("mails.pruneCounts").run(({ db, p }) =>
  db
    .deleteFrom("mail_counts")
    .where(({ eb, refTuple }) =>
      eb(
        refTuple("day", "owner_id"),
        "in",
        db
          .selectFrom("mail_counts")
          .select(["day", "owner_id"])
          .where("day", "<", p("day"))
          .limit(p("limit"))
          .$asTuple("day", "owner_id"),
      ),
    ),
);

type Stop = { teamId: string; recipient: string };

export const findLinkKey = prepare("mailLinkKeys.find").one(({ db }) =>
  db.selectFrom("mail_link_keys").select("secret").where("slot", "=", "current"),
);

export const insertLinkKey = prepare<{ secret: string }>("mailLinkKeys.insert").write(({ db, p }) =>
  db
    .insertInto("mail_link_keys")
    .values({ slot: "current", secret: p("secret") })
    .onConflict((conflict) => conflict.column("slot").doNothing()),
);

/** The team of a link, and since when its mail is stopped; undefined when there is no such team. */
export const findStop = prepare<Stop>("mailStops.find").one(({ db, p }) =>
  db
    .selectFrom("teams")
    .leftJoin("mail_stops as stop", (join) =>
      join.onRef("stop.team_id", "=", "teams.id").on("stop.recipient", "=", p("recipient")),
    )
    .select(["teams.slug", "stop.created_at as stoppedAt"])
    .where("teams.id", "=", p("teamId")),
);

export const insertStop = prepare<Stop & { now: number }>("mailStops.insert").write(({ db, p }) =>
  db
    .insertInto("mail_stops")
    .values({ team_id: p("teamId"), recipient: p("recipient"), created_at: p("now") })
    .onConflict((conflict) => conflict.columns(["team_id", "recipient"]).doNothing()),
);

export const deleteStop = prepare<Stop>("mailStops.delete").write(({ db, p }) =>
  db.deleteFrom("mail_stops").where("team_id", "=", p("teamId")).where("recipient", "=", p("recipient")),
);
