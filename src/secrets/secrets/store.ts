// Statements on secrets; lists, names and versions have files of their own.
import { sql } from "kysely";
import type { Expression } from "kysely";
import { LAST_NUMBER } from "../../platform/store/list-order.ts";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

export type SecretRow = Tables["secrets"];

export type NewSecretRow = Omit<SecretRow, "endsAt" | "deletedAt" | "revision">;

/** What an end is sorted by. */
const endsAt = (expiresAt: Expression<number | null>) => sql<number>`coalesce(${expiresAt}, ${LAST_NUMBER})`;

export function insertingSecret({ db, p, nextPosition, row }: Build<NewSecretRow>) {
  const position = nextPosition("secrets", { column: "ownerId", param: "ownerId" });
  const given = { endsAt: endsAt(p("expiresAt")), deletedAt: null, position, revision: 1 };
  return db.insertInto("secrets").values(row("secrets", given));
}

/** The number of an owner's secrets, up to a limit. */
export const countSecrets = prepare<{ ownerId: string; limit: number }>("secrets.countUpTo").one(({ db, p }) =>
  db
    .selectFrom(db.selectFrom("secrets").select("id").where("ownerId", "=", p("ownerId")).limit(p("limit")).as("some"))
    .select(({ fn }) => fn.countAll<number>().as("count")),
);

export const insertSecret = prepare<NewSecretRow>("secrets.insert").write(insertingSecret);

/** Finds deleted secrets too. */
export const findSecretById = prepare<{ ownerId: string; id: string }>("secrets.findById").one(({ db, p }) =>
  db.selectFrom("secrets").selectAll().where("ownerId", "=", p("ownerId")).where("id", "=", p("id")),
);

/** The secret that has this name or alias; a deleted one is not found. */
export const findSecretByName = prepare<{ ownerId: string; nameKey: string }>("secrets.findByName").one(({ db, p }) =>
  db
    .selectFrom("secret_names as known")
    .innerJoin("secrets as secret", "secret.id", "known.secretId")
    .selectAll("secret")
    .select("known.kind as knownAs")
    .where("known.ownerId", "=", p("ownerId"))
    .where("known.nameKey", "=", p("nameKey"))
    .where("known.isReserved", "=", sql.lit(1)),
);

/**
 * Of the deleted secrets that had this name, the one that was deleted last; of those deleted at the same time, the newer one.
 */
export const findDeletedByName = prepare<{ ownerId: string; nameKey: string }>("secrets.findDeletedByName").one(
  ({ db, p }) =>
    db
      .selectFrom("secrets")
      .selectAll()
      .where("ownerId", "=", p("ownerId"))
      .where("nameKey", "=", p("nameKey"))
      .where("deletedAt", "is not", null)
      .orderBy("deletedAt", "desc")
      .orderBy("position", "desc")
      .limit(1),
);

/** Updates the settings of a secret: all mutable columns except its value and names. */
export const changeSettings = prepare<{
  ownerId: string;
  id: string;
  description: string | null;
  tags: string;
  decryptable: number;
  maxVersions: number;
  expiresAt: number | null;
  noticeAt: number | null;
  now: number;
  updaterId: string | null;
}>("secrets.changeSettings").write(({ db, p, params }) =>
  db
    .updateTable("secrets")
    .set((eb) => ({
      ...params("description", "tags", "decryptable", "maxVersions", "expiresAt", "noticeAt", "updaterId"),
      endsAt: endsAt(p("expiresAt")),
      updatedAt: p("now"),
      metadataVersion: eb("metadataVersion", "+", 1),
      revision: eb("revision", "+", 1),
    }))
    .where("ownerId", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

export const changeName = prepare<{
  ownerId: string;
  id: string;
  name: string;
  nameKey: string;
  now: number;
  updaterId: string | null;
}>("secrets.changeName").write(({ db, p, params }) =>
  db
    .updateTable("secrets")
    .set((eb) => ({
      ...params("name", "nameKey", "updaterId"),
      updatedAt: p("now"),
      metadataVersion: eb("metadataVersion", "+", 1),
      revision: eb("revision", "+", 1),
    }))
    .where("ownerId", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

/** Counts a change of the secret's names alone. */
export const countNameChange = prepare<{ ownerId: string; id: string; now: number; updaterId: string | null }>(
  "secrets.countNameChange",
).write(({ db, p }) =>
  db
    .updateTable("secrets")
    .set((eb) => ({
      updatedAt: p("now"),
      updaterId: p("updaterId"),
      metadataVersion: eb("metadataVersion", "+", 1),
      revision: eb("revision", "+", 1),
    }))
    .where("ownerId", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

export const advanceVersion = prepare<{
  ownerId: string;
  id: string;
  version: number;
  metadataVersion: number;
  expiresAt: number | null;
  noticeAt: number | null;
  now: number;
  updaterId: string | null;
}>("secrets.advanceVersion").write(({ db, p, params }) =>
  db
    .updateTable("secrets")
    .set((eb) => ({
      ...params("version", "metadataVersion", "expiresAt", "noticeAt", "updaterId"),
      endsAt: endsAt(p("expiresAt")),
      updatedAt: p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("ownerId", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

/** Deletes softly (`deletedAt`), or restores (null). */
export const setDeletion = prepare<{
  ownerId: string;
  id: string;
  deletedAt: number | null;
  noticeAt: number | null;
  now: number;
  updaterId: string | null;
}>("secrets.setDeletion").write(({ db, p, params }) =>
  db
    .updateTable("secrets")
    .set((eb) => ({
      ...params("deletedAt", "noticeAt", "updaterId"),
      updatedAt: p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("ownerId", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

/** Destroys the secret with its names and versions. */
export const destroySecret = prepare<{ ownerId: string; id: string }>("secrets.destroy").write(({ db, p }) =>
  db.deleteFrom("secrets").where("ownerId", "=", p("ownerId")).where("id", "=", p("id")),
);

/** Secrets of all owners whose notice is due, the earliest first. */
export const listDueNotices = prepare<{ now: number; limit: number }>("secrets.listDueNotices").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("secrets")
      .select(["id", "ownerId"])
      .where("noticeAt", "is not", null)
      .where("noticeAt", "<=", p("now"))
      .where(({ ref }) => isNotRemoved(ref("secrets.ownerId")))
      .orderBy("noticeAt")
      .limit(p("limit")),
);

export const setNotice = prepare<{ ownerId: string; id: string; noticeAt: number | null }>("secrets.setNotice").write(
  ({ db, p }) =>
    db
      .updateTable("secrets")
      .set({ noticeAt: p("noticeAt") })
      .where("ownerId", "=", p("ownerId"))
      .where("id", "=", p("id")),
);

/** Secrets of all owners that were deleted at or before `deletedAt`, the earliest first. */
export const listToPurge = prepare<{ deletedAt: number; limit: number }>("secrets.listToPurge").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("secrets")
      .select(["id", "ownerId"])
      .where("deletedAt", "is not", null)
      .where("deletedAt", "<=", p("deletedAt"))
      .where(({ ref }) => isNotRemoved(ref("secrets.ownerId")))
      .orderBy("deletedAt")
      .limit(p("limit")),
);
