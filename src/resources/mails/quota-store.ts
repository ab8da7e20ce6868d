// Statements on the number of mails that users and teams have caused, by day.
import { prepare } from "../../store/prepared.ts";

/** Counts mails of an owner. Returns undefined, and counts nothing, if they would exceed `limit`. */
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
