// Statements on queued mail.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";

export const insertMail = prepare<{ id: string; kind: string; recipient: string; payload: string; now: number }>(
  "mails.insert",
).run(({ db, p }) =>
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

export const deleteClaimed = prepare<{ id: string; attempts: number }>("mails.delete").run(({ db, p }) =>
  db.deleteFrom("mails").where("id", "=", p("id")).where("attempts", "=", p("attempts")),
);

export const postponeClaimed = prepare<{ id: string; attempts: number; dueAt: number }>("mails.postpone").run(
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
export const makeSkewedDue = prepare<{ latest: string; last: number; now: number }>("mails.makeSkewedDue").run(
  ({ db, p, objects, integerMember, least }) =>
    db
      .updateTable("mails")
      .from(objects("latest"))
      .set({ due_at: p("now") })
      .where((eb) => sql<boolean>`${integerMember("attempts")} = ${least(eb.ref("mails.attempts"), p("last"))}`)
      .where("mails.due_at", ">", integerMember("dueAt")),
);

/** The number of mails that wait, `limit` at most, and when the oldest of them became due; null: there are none. */
export const measureWaiting = prepare<{ limit: number }>("mails.measureWaiting").one(({ db, p }) =>
  db
    .selectFrom((eb) => eb.selectFrom("mails").select("due_at").orderBy("due_at").limit(p("limit")).as("waiting"))
    .select(({ fn }) => [fn.countAll<number>().as("waiting"), fn.min("waiting.due_at").as("oldestDueAt")]),
);
