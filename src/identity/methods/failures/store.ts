// Statements on failed sign-ins.
import { prepare } from "../../../platform/store/prepared.ts";

/** `subjects` is a JSON array. */
export const findFailures = prepare<{ subjects: string }>("signIn.findFailures").many(({ db, elements }) =>
  db
    .selectFrom("sign_in_failures")
    .select(["paused_until as pausedUntil", "failed_at as failedAt"])
    .where("subject", "in", elements("subjects")),
);

/**
 * Counts a failure, from one again where the last one was before `rememberedSince`, and locks the subject: of several at the same
 * time each counts. Returns their number.
 */
export const countFailure = prepare<{ subject: string; rememberedSince: number; now: number }>(
  "signIn.countFailure",
).one(({ db, p }) =>
  db
    .insertInto("sign_in_failures")
    .values({ subject: p("subject"), failures: 1, paused_until: 0, failed_at: p("now") })
    .onConflict((conflict) =>
      conflict.column("subject").doUpdateSet((eb) => ({
        failures: eb
          .case()
          .when("sign_in_failures.failed_at", "<", p("rememberedSince"))
          .then(1)
          .else(eb("sign_in_failures.failures", "+", 1))
          .end(),
        failed_at: eb.ref("excluded.failed_at"),
      })),
    )
    .returning("failures"),
);

export const pauseSubject = prepare<{ subject: string; pausedUntil: number }>("signIn.pauseSubject").write(
  ({ db, p }) =>
    db
      .updateTable("sign_in_failures")
      .set({ paused_until: p("pausedUntil") })
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
          .where("failed_at", "<", p("before"))
          .orderBy("failed_at")
          .limit(p("limit")),
      ),
);
