// Statements on failed sign-ins.
import { prepare } from "../../store/prepared.ts";

/** `subjects` is a JSON array. */
export const findFailures = prepare<{ subjects: string }>("signIn.findFailures").many(({ db, elements }) =>
  db
    .selectFrom("sign_in_failures")
    .select(["subject", "failures", "paused_until as pausedUntil", "failed_at as failedAt"])
    .where("subject", "in", elements("subjects")),
);

export const upsertFailure = prepare<{ subject: string; failures: number; pausedUntil: number; now: number }>(
  "signIn.upsertFailure",
).run(({ db, p }) =>
  db
    .insertInto("sign_in_failures")
    .values({ subject: p("subject"), failures: p("failures"), paused_until: p("pausedUntil"), failed_at: p("now") })
    .onConflict((conflict) =>
      conflict.column("subject").doUpdateSet((eb) => ({
        failures: eb.ref("excluded.failures"),
        paused_until: eb.ref("excluded.paused_until"),
        failed_at: eb.ref("excluded.failed_at"),
      })),
    ),
);

/** `subjects` is a JSON array. */
export const deleteFailures = prepare<{ subjects: string }>("signIn.deleteFailures").run(({ db, elements }) =>
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
