// Statements on failed sign-ins.
import { prepare } from "../../../platform/store/prepared.ts";

/** `subjects` is a JSON array. */
export const findFailures = prepare<{ subjects: string }>("signIn.findFailures").many(({ db, elements }) =>
  db.selectFrom("sign_in_failures").select(["pausedUntil", "failedAt"]).where("subject", "in", elements("subjects")),
);

/**
 * Counts a failure, from one again where the last one was before `rememberedSince`, and locks the subject: of several at the same
 * time each counts. Returns their number.
 */
export const countFailure = prepare<{ subject: string; rememberedSince: number; now: number }>(
  "signIn.countFailure",
).one(({ db, p, excluded }) =>
  db
    .insertInto("sign_in_failures")
    .values({ subject: p("subject"), failures: 1, pausedUntil: 0, failedAt: p("now") })
    .onConflict((conflict) =>
      conflict.column("subject").doUpdateSet((eb) => ({
        ...excluded("failedAt"),
        failures: eb
          .case()
          .when("sign_in_failures.failedAt", "<", p("rememberedSince"))
          .then(1)
          .else(eb("sign_in_failures.failures", "+", 1))
          .end(),
      })),
    )
    .returning("failures"),
);

export const pauseSubject = prepare<{ subject: string; pausedUntil: number }>("signIn.pauseSubject").write(
  ({ db, p }) =>
    db
      .updateTable("sign_in_failures")
      .set({ pausedUntil: p("pausedUntil") })
      .where("subject", "=", p("subject")),
);

/** `subjects` is a JSON array. */
export const deleteFailures = prepare<{ subjects: string }>("signIn.deleteFailures").write(({ db, elements }) =>
  db.deleteFrom("sign_in_failures").where("subject", "in", elements("subjects")),
);

export const deleteOldFailures = prepare<{ before: number; limit: number }>("signIn.deleteOldFailures").run(
  ({ db, p }) =>
    db
      .deleteFrom("sign_in_failures")
      .where("subject", "in", (eb) =>
        eb
          .selectFrom("sign_in_failures")
          .select("subject")
          .where("failedAt", "<", p("before"))
          .orderBy("failedAt")
          .limit(p("limit")),
      ),
);
