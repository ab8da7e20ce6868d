// Statements on one-time codes.
import { prepare } from "../../../platform/store/prepared.ts";

export const insertCode = prepare("signIn.insertCode").insert("one_time_codes", () => ({}));

/** Replaces the code that a mail carries, unless it has expired or was used. */
export const replaceMailedCode = prepare<{ mailId: string; hash: string; now: number }>("signIn.replaceMailedCode").one(
  ({ db, p }) =>
    db
      .updateTable("one_time_codes")
      .set({ hash: p("hash") })
      .where("mailId", "=", p("mailId"))
      .where("expiresAt", ">", p("now"))
      .returning("expiresAt"),
);

export const findCode = prepare<{ hash: string; now: number }>("signIn.findCode").one(({ db, p }) =>
  db
    .selectFrom("one_time_codes")
    .select(["purpose", "userId", "data", "expiresAt"])
    .where("hash", "=", p("hash"))
    .where("expiresAt", ">", p("now")),
);

/** The code of an account for a purpose that has one at most. */
export const findCodeOf = prepare<{ userId: string; purpose: string; now: number }>("signIn.findCodeOf").one(
  ({ db, p }) =>
    db
      .selectFrom("one_time_codes")
      .select(["data", "expiresAt"])
      .where("userId", "=", p("userId"))
      .where("purpose", "=", p("purpose"))
      .where("expiresAt", ">", p("now")),
);

/** Those of an account for purposes that have one at most each; `purposes` is a JSON array. */
export const listCodesOf = prepare<{ userId: string; purposes: string; now: number }>("signIn.listCodesOf").many(
  ({ db, p, isElement }) =>
    db
      .selectFrom("one_time_codes")
      .select(["purpose", "data", "expiresAt"])
      .where("userId", "=", p("userId"))
      .where(({ ref }) => isElement(ref("purpose"), "purposes"))
      .where("expiresAt", ">", p("now")),
);

export const updateCodeData = prepare<{ userId: string; purpose: string; data: string }>("signIn.updateCodeData").write(
  ({ db, p }) =>
    db
      .updateTable("one_time_codes")
      .set({ data: p("data") })
      .where("userId", "=", p("userId"))
      .where("purpose", "=", p("purpose")),
);

export const deleteCode = prepare<{ hash: string }>("signIn.deleteCode").run(({ db, p }) =>
  db.deleteFrom("one_time_codes").where("hash", "=", p("hash")),
);

export const deleteCodesOf = prepare<{ userId: string; purpose: string }>("signIn.deleteCodesOf").write(({ db, p }) =>
  db.deleteFrom("one_time_codes").where("userId", "=", p("userId")).where("purpose", "=", p("purpose")),
);

export const deleteAllCodesOf = prepare<{ userId: string }>("signIn.deleteAllCodesOf").write(({ db, p }) =>
  db.deleteFrom("one_time_codes").where("userId", "=", p("userId")),
);

/** Deletes what an account has approved for programs that have not taken their token: the authorization server finds no code then. */
export const deleteApprovalsOf = prepare<{ userId: string }>("signIn.deleteApprovalsOf").write(({ db, p }) =>
  db.deleteFrom("oauth_records").where("userId", "=", p("userId")),
);

export const deleteExpiredCodes = prepare<{ now: number; limit: number }>("signIn.deleteExpiredCodes").run(
  ({ db, p }) =>
    db
      .deleteFrom("one_time_codes")
      .where("hash", "in", (eb) =>
        eb
          .selectFrom("one_time_codes")
          .select("hash")
          .where("expiresAt", "<=", p("now"))
          .orderBy("expiresAt")
          .limit(p("limit")),
      ),
);
