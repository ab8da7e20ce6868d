// Statements on passwords and known devices.
import { prepare } from "../../platform/store/prepared.ts";

/** The account with this username or e-mail address that may sign in, and its password's hash if it has one. */
const findBy = (column: "usernameKey" | "emailKey") =>
  prepare<{ key: string }>(`signIn.findBy-${column}`).one(({ db, p, isNotRemoved }) =>
    db
      .selectFrom("users")
      .leftJoin("passwords", "passwords.userId", "users.id")
      .select(["users.id as userId", "passwords.hash as passwordHash"])
      .where(`users.${column}`, "=", p("key"))
      .where("users.suspendedAt", "is", null)
      .where(({ ref }) => isNotRemoved(ref("users.id"))),
  );
export const findByUsername = findBy("usernameKey");
export const findByEmail = findBy("emailKey");

/** The same for a link by mail: the account has confirmed its address. */
const findRecoverableBy = (column: "usernameKey" | "emailKey") =>
  prepare<{ key: string }>(`signIn.findRecoverableBy-${column}`).one(({ db, p, isNotRemoved }) =>
    db
      .selectFrom("users")
      .select(["id as userId", "username", "email"])
      .where(column, "=", p("key"))
      .where("suspendedAt", "is", null)
      .where("emailConfirmedAt", "is not", null)
      .where(({ ref }) => isNotRemoved(ref("users.id"))),
  );
export const findRecoverableByUsername = findRecoverableBy("usernameKey");
export const findRecoverableByEmail = findRecoverableBy("emailKey");

export const findAccountAddress = prepare<{ userId: string }>("signIn.findAddress").one(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("users")
    .select(["username", "email", "emailConfirmedAt as confirmedAt"])
    .where("id", "=", p("userId"))
    .where(({ ref }) => isNotRemoved(ref("users.id"))),
);

export const findPassword = prepare<{ userId: string }>("signIn.findPassword").one(({ db, p }) =>
  db.selectFrom("passwords").select(["hash", "changedAt"]).where("userId", "=", p("userId")),
);

export const deletePassword = prepare<{ userId: string }>("signIn.deletePassword").run(({ db, p }) =>
  db.deleteFrom("passwords").where("userId", "=", p("userId")),
);

export const upsertPassword = prepare<{ userId: string; hash: string; now: number }>("signIn.upsertPassword").write(
  ({ db, p, excluded }) =>
    db
      .insertInto("passwords")
      .values({ userId: p("userId"), hash: p("hash"), changedAt: p("now") })
      .onConflict((conflict) => conflict.column("userId").doUpdateSet(excluded("hash", "changedAt"))),
);

/** Replaces a hash by one of the same password, unless the password was changed meanwhile. */
export const renewPasswordHash = prepare<{ userId: string; from: string; hash: string }>("signIn.renewHash").write(
  ({ db, p }) =>
    db
      .updateTable("passwords")
      .set({ hash: p("hash") })
      .where("userId", "=", p("userId"))
      .where("hash", "=", p("from")),
);

export const findKnownDevice = prepare<{ userId: string; hash: string }>("signIn.findDevice").one(({ db, p }) =>
  db.selectFrom("known_devices").select("usedAt").where("userId", "=", p("userId")).where("hash", "=", p("hash")),
);

export const upsertKnownDevice = prepare<{ userId: string; hash: string; now: number }>("signIn.upsertDevice").write(
  ({ db, p, excluded }) =>
    db
      .insertInto("known_devices")
      .values({ userId: p("userId"), hash: p("hash"), usedAt: p("now") })
      .onConflict((conflict) => conflict.columns(["userId", "hash"]).doUpdateSet(excluded("usedAt"))),
);

/** The devices of an account beyond the `kept` that were used last. */
export const deleteOldestDevices = prepare<{ userId: string; kept: number }>("signIn.deleteOldestDevices").write(
  ({ db, p }) =>
    db
      .deleteFrom("known_devices")
      .where("userId", "=", p("userId"))
      .where("hash", "in", (eb) =>
        eb
          .selectFrom("known_devices")
          .select("hash")
          .where("userId", "=", p("userId"))
          .orderBy("usedAt", "desc")
          .limit(1_000)
          .offset(p("kept")),
      ),
);

export const findAnyMethod = prepare<{ userId: string }>("signIn.findAnyMethod").one(({ db, p }) =>
  db
    .selectFrom("passwords")
    .select("userId")
    .where("userId", "=", p("userId"))
    .unionAll(db.selectFrom("passkeys").select("userId").where("userId", "=", p("userId")))
    .unionAll(db.selectFrom("identities").select("userId").where("userId", "=", p("userId")))
    .limit(1),
);

/** An active administrator who has a method. */
export const findAdministratorWithMethod = prepare("signIn.findAdministratorWithMethod").one(({ db }) =>
  db
    .selectFrom("users")
    .select("id")
    .where("isAdmin", "=", 1)
    .where("suspendedAt", "is", null)
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(selectFrom("passwords").select("userId").whereRef("userId", "=", "users.id")),
        exists(selectFrom("passkeys").select("userId").whereRef("userId", "=", "users.id")),
        exists(selectFrom("identities").select("userId").whereRef("userId", "=", "users.id")),
      ]),
    )
    .limit(1),
);

/** The same without passwords, for instances where they are switched off. */
export const findMethodBesidePassword = prepare<{ userId: string }>("signIn.findMethodBesidePassword").one(
  ({ db, p }) =>
    db
      .selectFrom("passkeys")
      .select("userId")
      .where("userId", "=", p("userId"))
      .unionAll(db.selectFrom("identities").select("userId").where("userId", "=", p("userId")))
      .limit(1),
);

export const insertRecoveryCode = prepare<{ userId: string; hash: string }>("signIn.insertRecoveryCode").write(
  ({ db, p }) => db.insertInto("recovery_codes").values({ userId: p("userId"), hash: p("hash") }),
);

export const deleteRecoveryCode = prepare<{ userId: string; hash: string }>("signIn.deleteRecoveryCode").run(
  ({ db, p }) => db.deleteFrom("recovery_codes").where("userId", "=", p("userId")).where("hash", "=", p("hash")),
);

export const deleteRecoveryCodes = prepare<{ userId: string }>("signIn.deleteRecoveryCodes").write(({ db, p }) =>
  db.deleteFrom("recovery_codes").where("userId", "=", p("userId")),
);

export const countRecoveryCodes = prepare<{ userId: string }>("signIn.countRecoveryCodes").one(({ db, p }) =>
  db
    .selectFrom("recovery_codes")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("userId", "=", p("userId")),
);
