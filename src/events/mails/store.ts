// Statements on queued mail, on the number of mails that users and teams cause in a day, on stopped mail by team and recipient, and
// on the key that signs the links that stop it.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

export const insertMail = prepare<{ now: number }>("mails.insert").insert("mails", ({ p }) => ({
  attempts: 0,
  dueAt: p("now"),
  createdAt: p("now"),
  failedWith: null,
}));

export const findDue = prepare<{ now: number }>("mails.findDue").one(({ db, p }) =>
  db.selectFrom("mails").select("id").where("dueAt", "<=", p("now")).orderBy("dueAt").limit(1),
);

/** Claims due mails, the longest due first; nobody else claims them before `dueAt`. */
export const claim = prepare<{ now: number; dueAt: number; limit: number }>("mails.claim").many(
  ({ db, p, forUpdateSkipLocked }) =>
    db
      .with("due", (cte) =>
        cte
          .selectFrom("mails")
          .select("id")
          .where("dueAt", "<=", p("now"))
          .orderBy("dueAt")
          .limit(p("limit"))
          .modifyEnd(forUpdateSkipLocked),
      )
      .updateTable("mails")
      .set((eb) => ({ dueAt: p("dueAt"), attempts: eb("attempts", "+", 1), failedWith: null }))
      .where("id", "in", (eb) => eb.selectFrom("due").select("due.id"))
      .returning(["id", "kind", "recipient", "payload", "attempts", "createdAt"]),
);

export const deleteClaimed = prepare<{ id: string; attempts: number }>("mails.delete").write(({ db, p }) =>
  db.deleteFrom("mails").where("id", "=", p("id")).where("attempts", "=", p("attempts")),
);

export const postponeClaimed = prepare<{
  id: string;
  attempts: number;
  dueAt: number;
  failedWith: string | null;
}>("mails.postpone").write(({ db, p }) =>
  db
    .updateTable("mails")
    .set({ dueAt: p("dueAt"), failedWith: p("failedWith") })
    .where("id", "=", p("id"))
    .where("attempts", "=", p("attempts")),
);

/** Makes mails due that failed with other settings. */
export const makeFailedDue = prepare<{ settings: string; now: number }>("mails.makeFailedDue").write(({ db, p }) =>
  db
    .updateTable("mails")
    .set({ dueAt: p("now"), failedWith: null })
    .where("failedWith", "<>", p("settings"))
    .where("dueAt", ">", p("now")),
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
      .set({ dueAt: p("now") })
      .where((eb) => sql<boolean>`${integerMember("attempts")} = ${least(eb.ref("mails.attempts"), p("last"))}`)
      .where("mails.dueAt", ">", integerMember("dueAt")),
);

/** The number of mails that wait, `limit` at most, when the first of them was queued, and when the first became due; null: there are none. */
export const measureWaiting = prepare<{ limit: number }>("mails.measureWaiting").one(({ db, p }) =>
  db
    .selectFrom((eb) =>
      eb.selectFrom("mails").select(["createdAt", "dueAt"]).orderBy("dueAt").limit(p("limit")).as("waiting"),
    )
    .select(({ fn }) => [
      fn.countAll<number>().as("waiting"),
      fn.min("waiting.createdAt").as("oldestAt"),
      fn.min("waiting.dueAt").as("oldestDueAt"),
    ]),
);

/** Counts mails of an owner, a user or a team, in a day. Returns undefined, and counts nothing, if they would exceed `limit`. */
export const countMails = prepare<{ day: number; ownerId: string; mails: number; limit: number }>("mails.count").one(
  ({ db, p, params }) =>
    db
      .insertInto("mail_counts")
      .values(params("day", "ownerId", "mails"))
      .onConflict((conflict) =>
        conflict
          .columns(["day", "ownerId"])
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
        refTuple("day", "ownerId"),
        "in",
        db
          .selectFrom("mail_counts")
          .select(["day", "ownerId"])
          .where("day", "<", p("day"))
          .limit(p("limit"))
          .$asTuple("day", "ownerId"),
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
      join.onRef("stop.teamId", "=", "teams.id").on("stop.recipient", "=", p("recipient")),
    )
    .select(["teams.slug", "stop.createdAt as stoppedAt"])
    .where("teams.id", "=", p("teamId")),
);

export const insertStop = prepare<Stop & { now: number }>("mailStops.insert").write(({ db, p }) =>
  db
    .insertInto("mail_stops")
    .values({ teamId: p("teamId"), recipient: p("recipient"), createdAt: p("now") })
    .onConflict((conflict) => conflict.columns(["teamId", "recipient"]).doNothing()),
);

export const deleteStop = prepare<Stop>("mailStops.delete").write(({ db, p }) =>
  db.deleteFrom("mail_stops").where("teamId", "=", p("teamId")).where("recipient", "=", p("recipient")),
);
