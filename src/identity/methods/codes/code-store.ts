// Statements on one-time codes.
import { prepare } from "../../../platform/store/prepared.ts";

export const insertCode = prepare<{
  hash: string;
  purpose: string;
  userId: string | null;
  data: string;
  mailId: string | null;
  expiresAt: number;
}>("signIn.insertCode").write(({ db, p }) =>
  db.insertInto("one_time_codes").values({
    hash: p("hash"),
    purpose: p("purpose"),
    user_id: p("userId"),
    data: p("data"),
    mail_id: p("mailId"),
    expires_at: p("expiresAt"),
  }),
);

/** Replaces the code that a mail carries, unless it has expired or was used. */
export const replaceMailedCode = prepare<{ mailId: string; hash: string; now: number }>("signIn.replaceMailedCode").one(
  ({ db, p }) =>
    db
      .updateTable("one_time_codes")
      .set({ hash: p("hash") })
      .where("mail_id", "=", p("mailId"))
      .where("expires_at", ">", p("now"))
      .returning("expires_at as expiresAt"),
);

export const findCode = prepare<{ hash: string; now: number }>("signIn.findCode").one(({ db, p }) =>
  db
    .selectFrom("one_time_codes")
    .select(["purpose", "user_id as userId", "data", "expires_at as expiresAt"])
    .where("hash", "=", p("hash"))
    .where("expires_at", ">", p("now")),
);

/** The code of an account for a purpose that has one at most. */
export const findCodeOf = prepare<{ userId: string; purpose: string; now: number }>("signIn.findCodeOf").one(
  ({ db, p }) =>
    db
      .selectFrom("one_time_codes")
      .select(["data", "expires_at as expiresAt"])
      .where("user_id", "=", p("userId"))
      .where("purpose", "=", p("purpose"))
      .where("expires_at", ">", p("now")),
);

export const updateCodeData = prepare<{ userId: string; purpose: string; data: string }>("signIn.updateCodeData").write(
  ({ db, p }) =>
    db
      .updateTable("one_time_codes")
      .set({ data: p("data") })
      .where("user_id", "=", p("userId"))
      .where("purpose", "=", p("purpose")),
);

export const deleteCode = prepare<{ hash: string }>("signIn.deleteCode").run(({ db, p }) =>
  db.deleteFrom("one_time_codes").where("hash", "=", p("hash")),
);

export const deleteCodesOf = prepare<{ userId: string; purpose: string }>("signIn.deleteCodesOf").write(({ db, p }) =>
  db.deleteFrom("one_time_codes").where("user_id", "=", p("userId")).where("purpose", "=", p("purpose")),
);

export const deleteAllCodesOf = prepare<{ userId: string }>("signIn.deleteAllCodesOf").write(({ db, p }) =>
  db.deleteFrom("one_time_codes").where("user_id", "=", p("userId")),
);

/** Deletes what an account has approved for programs that have not taken their token: the authorization server finds no code then. */
export const deleteApprovalsOf = prepare<{ userId: string }>("signIn.deleteApprovalsOf").write(({ db, p }) =>
  db.deleteFrom("oauth_records").where("user_id", "=", p("userId")),
);

export const deleteExpiredCodes = prepare<{ now: number; limit: number }>("signIn.deleteExpiredCodes").run(
  ({ db, p }) =>
    db
      .deleteFrom("one_time_codes")
      .where("hash", "in", (eb) =>
        eb
          .selectFrom("one_time_codes")
          .select("hash")
          .where("expires_at", "<=", p("now"))
          .orderBy("expires_at")
          .limit(p("limit")),
      ),
);
