// Statements on passkeys.
import { prepare } from "../../platform/store/prepared.ts";

export const insertPasskey = prepare<{
  id: string;
  userId: string;
  credentialId: string;
  rpId: string;
  publicKey: Uint8Array;
  counter: number;
  transports: string;
  name: string;
  now: number;
  position: number;
}>("passkeys.insert").write(({ db, p, nextPosition }) =>
  db.insertInto("passkeys").values({
    id: p("id"),
    user_id: p("userId"),
    credential_id: p("credentialId"),
    rp_id: p("rpId"),
    public_key: p("publicKey"),
    counter: p("counter"),
    transports: p("transports"),
    name: p("name"),
    used_at: null,
    created_at: p("now"),
    position: nextPosition("passkeys", { column: "user_id", param: "userId" }),
  }),
);

/** A passkey of an account that may sign in. */
export const findByCredential = prepare<{ credentialId: string }>("passkeys.findByCredential").one(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("passkeys")
      .innerJoin("users", "users.id", "passkeys.user_id")
      .select([
        "passkeys.id as id",
        "passkeys.user_id as userId",
        "passkeys.rp_id as rpId",
        "passkeys.public_key as publicKey",
        "passkeys.counter as counter",
        "passkeys.name as name",
      ])
      .where("passkeys.credential_id", "=", p("credentialId"))
      .where("users.suspended_at", "is", null)
      .where(({ ref }) => isNotRemoved(ref("users.id"))),
);

export const recordPasskeyUse = prepare<{ id: string; counter: number; now: number }>("passkeys.recordUse").run(
  ({ db, p }) =>
    db
      .updateTable("passkeys")
      .set({ counter: p("counter"), used_at: p("now") })
      .where("id", "=", p("id")),
);

export const listPasskeys = prepare<{ userId: string }>("passkeys.list").page(({ db, p }) =>
  db.selectFrom("passkeys").selectAll().where("user_id", "=", p("userId")),
);

/** The first credentials of an account, for the authenticator to exclude. */
export const listCredentialIds = prepare<{ userId: string; limit: number }>("passkeys.listCredentialIds").many(
  ({ db, p }) =>
    db
      .selectFrom("passkeys")
      .select("credential_id as credentialId")
      .where("user_id", "=", p("userId"))
      .orderBy("position")
      .limit(p("limit")),
);

export const findPasskey = prepare<{ userId: string; id: string }>("passkeys.find").one(({ db, p }) =>
  db.selectFrom("passkeys").selectAll().where("user_id", "=", p("userId")).where("id", "=", p("id")),
);
export type PasskeyRow = NonNullable<Awaited<ReturnType<typeof findPasskey>>>;

export const renamePasskey = prepare<{ userId: string; id: string; name: string }>("passkeys.rename").write(
  ({ db, p }) =>
    db
      .updateTable("passkeys")
      .set({ name: p("name") })
      .where("user_id", "=", p("userId"))
      .where("id", "=", p("id")),
);

export const deletePasskey = prepare<{ userId: string; id: string }>("passkeys.delete").write(({ db, p }) =>
  db.deleteFrom("passkeys").where("user_id", "=", p("userId")).where("id", "=", p("id")),
);

/** Whether any passkey was made for a host. */
export const findAnyOfHost = prepare<{ rpId: string }>("passkeys.findAnyOfHost").one(({ db, p }) =>
  db.selectFrom("passkeys").select("id").where("rp_id", "=", p("rpId")).limit(1),
);
