// Statements on passwords and known devices.
import { prepare } from "../../platform/store/prepared.ts";

/** The account with this username or e-mail address that may sign in, and its password's hash if it has one. */
const findBy = (column: "username_key" | "email_key") =>
  prepare<{ key: string }>(`signIn.findBy-${column}`).one(({ db, p, isNotRemoved }) =>
    db
      .selectFrom("users")
      .leftJoin("passwords", "passwords.user_id", "users.id")
      .select(["users.id as userId", "passwords.hash as passwordHash"])
      .where(`users.${column}`, "=", p("key"))
      .where("users.suspended_at", "is", null)
      .where(({ ref }) => isNotRemoved(ref("users.id"))),
  );
export const findByUsername = findBy("username_key");
export const findByEmail = findBy("email_key");

/** The same for a link by mail: the account has confirmed its address. */
const findRecoverableBy = (column: "username_key" | "email_key") =>
  prepare<{ key: string }>(`signIn.findRecoverableBy-${column}`).one(({ db, p, isNotRemoved }) =>
    db
      .selectFrom("users")
      .select(["id as userId", "username", "email"])
      .where(column, "=", p("key"))
      .where("suspended_at", "is", null)
      .where("email_confirmed_at", "is not", null)
      .where(({ ref }) => isNotRemoved(ref("users.id"))),
  );
export const findRecoverableByUsername = findRecoverableBy("username_key");
export const findRecoverableByEmail = findRecoverableBy("email_key");

export const findAccountAddress = prepare<{ userId: string }>("signIn.findAddress").one(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("users")
    .select(["username", "email", "email_confirmed_at as confirmedAt"])
    .where("id", "=", p("userId"))
    .where(({ ref }) => isNotRemoved(ref("users.id"))),
);

export const findPassword = prepare<{ userId: string }>("signIn.findPassword").one(({ db, p }) =>
  db.selectFrom("passwords").select(["hash", "changed_at as changedAt"]).where("user_id", "=", p("userId")),
);

export const deletePassword = prepare<{ userId: string }>("signIn.deletePassword").run(({ db, p }) =>
  db.deleteFrom("passwords").where("user_id", "=", p("userId")),
);

export const upsertPassword = prepare<{ userId: string; hash: string; now: number }>("signIn.upsertPassword").write(
  ({ db, p }) =>
    db
      .insertInto("passwords")
      .values({ user_id: p("userId"), hash: p("hash"), changed_at: p("now") })
      .onConflict((conflict) =>
        conflict.column("user_id").doUpdateSet((eb) => ({
          hash: eb.ref("excluded.hash"),
          changed_at: eb.ref("excluded.changed_at"),
        })),
      ),
);

/** Replaces a hash by one of the same password, unless the password was changed meanwhile. */
export const renewPasswordHash = prepare<{ userId: string; from: string; hash: string }>("signIn.renewHash").write(
  ({ db, p }) =>
    db
      .updateTable("passwords")
      .set({ hash: p("hash") })
      .where("user_id", "=", p("userId"))
      .where("hash", "=", p("from")),
);

export const findKnownDevice = prepare<{ userId: string; hash: string }>("signIn.findDevice").one(({ db, p }) =>
  db
    .selectFrom("known_devices")
    .select("used_at as usedAt")
    .where("user_id", "=", p("userId"))
    .where("hash", "=", p("hash")),
);

export const upsertKnownDevice = prepare<{ userId: string; hash: string; now: number }>("signIn.upsertDevice").write(
  ({ db, p }) =>
    db
      .insertInto("known_devices")
      .values({ user_id: p("userId"), hash: p("hash"), used_at: p("now") })
      .onConflict((conflict) =>
        conflict.columns(["user_id", "hash"]).doUpdateSet((eb) => ({ used_at: eb.ref("excluded.used_at") })),
      ),
);

/** The devices of an account beyond the `kept` that were used last. */
export const deleteOldestDevices = prepare<{ userId: string; kept: number }>("signIn.deleteOldestDevices").write(
  ({ db, p }) =>
    db
      .deleteFrom("known_devices")
      .where("user_id", "=", p("userId"))
      .where("hash", "in", (eb) =>
        eb
          .selectFrom("known_devices")
          .select("hash")
          .where("user_id", "=", p("userId"))
          .orderBy("used_at", "desc")
          .limit(1_000)
          .offset(p("kept")),
      ),
);

export const findAnyMethod = prepare<{ userId: string }>("signIn.findAnyMethod").one(({ db, p }) =>
  db
    .selectFrom("passwords")
    .select("user_id as userId")
    .where("user_id", "=", p("userId"))
    .unionAll(db.selectFrom("passkeys").select("user_id as userId").where("user_id", "=", p("userId")))
    .unionAll(db.selectFrom("identities").select("user_id as userId").where("user_id", "=", p("userId")))
    .limit(1),
);

/** An active administrator who has a method. */
export const findAdministratorWithMethod = prepare("signIn.findAdministratorWithMethod").one(({ db }) =>
  db
    .selectFrom("users")
    .select("id")
    .where("is_admin", "=", 1)
    .where("suspended_at", "is", null)
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(selectFrom("passwords").select("user_id").whereRef("user_id", "=", "users.id")),
        exists(selectFrom("passkeys").select("user_id").whereRef("user_id", "=", "users.id")),
        exists(selectFrom("identities").select("user_id").whereRef("user_id", "=", "users.id")),
      ]),
    )
    .limit(1),
);

/** The same without passwords, for instances where they are switched off. */
export const findMethodBesidePassword = prepare<{ userId: string }>("signIn.findMethodBesidePassword").one(
  ({ db, p }) =>
    db
      .selectFrom("passkeys")
      .select("user_id as userId")
      .where("user_id", "=", p("userId"))
      .unionAll(db.selectFrom("identities").select("user_id as userId").where("user_id", "=", p("userId")))
      .limit(1),
);

export const insertRecoveryCode = prepare<{ userId: string; hash: string }>("signIn.insertRecoveryCode").write(
  ({ db, p }) => db.insertInto("recovery_codes").values({ user_id: p("userId"), hash: p("hash") }),
);

export const deleteRecoveryCode = prepare<{ userId: string; hash: string }>("signIn.deleteRecoveryCode").run(
  ({ db, p }) => db.deleteFrom("recovery_codes").where("user_id", "=", p("userId")).where("hash", "=", p("hash")),
);

export const deleteRecoveryCodes = prepare<{ userId: string }>("signIn.deleteRecoveryCodes").write(({ db, p }) =>
  db.deleteFrom("recovery_codes").where("user_id", "=", p("userId")),
);

export const countRecoveryCodes = prepare<{ userId: string }>("signIn.countRecoveryCodes").one(({ db, p }) =>
  db
    .selectFrom("recovery_codes")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("user_id", "=", p("userId")),
);
