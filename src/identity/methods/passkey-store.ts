// Statements on passkeys.
import { prepare } from "../../platform/store/prepared.ts";

export const insertPasskey = prepare<{ now: number; position: number }>("passkeys.insert").insert(
  "passkeys",
  ({ p, nextPosition }) => ({
    usedAt: null,
    createdAt: p("now"),
    position: nextPosition("passkeys", { column: "userId", param: "userId" }),
  }),
);

/** A passkey of an account that may sign in. */
export const findByCredential = prepare<{ credentialId: string }>("passkeys.findByCredential").one(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("passkeys")
      .innerJoin("users", "users.id", "passkeys.userId")
      .select([
        "passkeys.id",
        "passkeys.userId",
        "passkeys.rpId",
        "passkeys.publicKey",
        "passkeys.counter",
        "passkeys.name",
      ])
      .where("passkeys.credentialId", "=", p("credentialId"))
      .where("users.suspendedAt", "is", null)
      .where(({ ref }) => isNotRemoved(ref("users.id"))),
);

export const recordPasskeyUse = prepare<{ id: string; counter: number; now: number }>("passkeys.recordUse").run(
  ({ db, p }) =>
    db
      .updateTable("passkeys")
      .set({ counter: p("counter"), usedAt: p("now") })
      .where("id", "=", p("id")),
);

export const listPasskeys = prepare<{ userId: string }>("passkeys.list").page(({ db, p }) =>
  db.selectFrom("passkeys").selectAll().where("userId", "=", p("userId")),
);

/** The first credentials of an account, for the authenticator to exclude. */
export const listCredentialIds = prepare<{ userId: string; limit: number }>("passkeys.listCredentialIds").many(
  ({ db, p }) =>
    db
      .selectFrom("passkeys")
      .select("credentialId")
      .where("userId", "=", p("userId"))
      .orderBy("position")
      .limit(p("limit")),
);

export const findPasskey = prepare<{ userId: string; id: string }>("passkeys.find").one(({ db, p }) =>
  db.selectFrom("passkeys").selectAll().where("userId", "=", p("userId")).where("id", "=", p("id")),
);
export type PasskeyRow = NonNullable<Awaited<ReturnType<typeof findPasskey>>>;

export const renamePasskey = prepare<{ userId: string; id: string; name: string }>("passkeys.rename").write(
  ({ db, p }) =>
    db
      .updateTable("passkeys")
      .set({ name: p("name") })
      .where("userId", "=", p("userId"))
      .where("id", "=", p("id")),
);

export const deletePasskey = prepare<{ userId: string; id: string }>("passkeys.delete").write(({ db, p }) =>
  db.deleteFrom("passkeys").where("userId", "=", p("userId")).where("id", "=", p("id")),
);

/** Whether any passkey was made for a host. */
export const findAnyOfHost = prepare<{ rpId: string }>("passkeys.findAnyOfHost").one(({ db, p }) =>
  db.selectFrom("passkeys").select("id").where("rpId", "=", p("rpId")).limit(1),
);
