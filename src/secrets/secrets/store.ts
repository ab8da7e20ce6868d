// Statements on secrets; lists, names and versions have files of their own.
import { sql } from "kysely";
import type { Expression } from "kysely";
import { LAST_NUMBER } from "../../platform/store/list-order.ts";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

export type SecretRow = Tables["secrets"];

export type NewSecretRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly teamId: string | null;
  readonly userId: string | null;
  readonly name: string;
  readonly nameKey: string;
  readonly description: string | null;
  readonly tags: string;
  readonly projectId: string | null;
  readonly decryptable: number;
  readonly maxVersions: number;
  readonly expiresAt: number | null;
  readonly noticeAt: number | null;
  readonly version: number;
  readonly metadataVersion: number;
  readonly creatorId: string | null;
  readonly updaterId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly position: number;
};

/** What an end is sorted by. */
const endsAt = (expiresAt: Expression<number | null>) => sql<number>`coalesce(${expiresAt}, ${LAST_NUMBER})`;

export function insertingSecret({ db, p, nextPosition }: Build<NewSecretRow>) {
  return db.insertInto("secrets").values({
    id: p("id"),
    owner_id: p("ownerId"),
    team_id: p("teamId"),
    user_id: p("userId"),
    name: p("name"),
    name_key: p("nameKey"),
    description: p("description"),
    tags: p("tags"),
    project_id: p("projectId"),
    decryptable: p("decryptable"),
    max_versions: p("maxVersions"),
    expires_at: p("expiresAt"),
    ends_at: endsAt(p("expiresAt")),
    notice_at: p("noticeAt"),
    version: p("version"),
    metadata_version: p("metadataVersion"),
    creator_id: p("creatorId"),
    updater_id: p("updaterId"),
    created_at: p("createdAt"),
    updated_at: p("updatedAt"),
    deleted_at: null,
    position: nextPosition("secrets", { column: "owner_id", param: "ownerId" }),
    revision: 1,
  });
}

/** The number of an owner's secrets, up to a limit. */
export const countSecrets = prepare<{ ownerId: string; limit: number }>("secrets.countUpTo").one(({ db, p }) =>
  db
    .selectFrom(db.selectFrom("secrets").select("id").where("owner_id", "=", p("ownerId")).limit(p("limit")).as("some"))
    .select(({ fn }) => fn.countAll<number>().as("count")),
);

export const insertSecret = prepare<NewSecretRow>("secrets.insert").write(insertingSecret);

/** Finds deleted secrets too. */
export const findSecretById = prepare<{ ownerId: string; id: string }>("secrets.findById").one(({ db, p }) =>
  db.selectFrom("secrets").selectAll().where("owner_id", "=", p("ownerId")).where("id", "=", p("id")),
);

/** The secret that has this name or alias; a deleted one is not found. */
export const findSecretByName = prepare<{ ownerId: string; nameKey: string }>("secrets.findByName").one(({ db, p }) =>
  db
    .selectFrom("secret_names as known")
    .innerJoin("secrets as secret", "secret.id", "known.secret_id")
    .selectAll("secret")
    .select("known.kind as known_as")
    .where("known.owner_id", "=", p("ownerId"))
    .where("known.name_key", "=", p("nameKey"))
    .where("known.is_reserved", "=", sql.lit(1)),
);

/**
 * Of the deleted secrets that had this name, the one that was deleted last; of those deleted at the same time, the newer one.
 */
export const findDeletedByName = prepare<{ ownerId: string; nameKey: string }>("secrets.findDeletedByName").one(
  ({ db, p }) =>
    db
      .selectFrom("secrets")
      .selectAll()
      .where("owner_id", "=", p("ownerId"))
      .where("name_key", "=", p("nameKey"))
      .where("deleted_at", "is not", null)
      .orderBy("deleted_at", "desc")
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
}>("secrets.changeSettings").write(({ db, p }) =>
  db
    .updateTable("secrets")
    .set((eb) => ({
      description: p("description"),
      tags: p("tags"),
      decryptable: p("decryptable"),
      max_versions: p("maxVersions"),
      expires_at: p("expiresAt"),
      ends_at: endsAt(p("expiresAt")),
      notice_at: p("noticeAt"),
      updated_at: p("now"),
      updater_id: p("updaterId"),
      metadata_version: eb("metadata_version", "+", 1),
      revision: eb("revision", "+", 1),
    }))
    .where("owner_id", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

export const changeName = prepare<{
  ownerId: string;
  id: string;
  name: string;
  nameKey: string;
  now: number;
  updaterId: string | null;
}>("secrets.changeName").write(({ db, p }) =>
  db
    .updateTable("secrets")
    .set((eb) => ({
      name: p("name"),
      name_key: p("nameKey"),
      updated_at: p("now"),
      updater_id: p("updaterId"),
      metadata_version: eb("metadata_version", "+", 1),
      revision: eb("revision", "+", 1),
    }))
    .where("owner_id", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

/** Counts a change of the secret's names alone. */
export const countNameChange = prepare<{ ownerId: string; id: string; now: number; updaterId: string | null }>(
  "secrets.countNameChange",
).write(({ db, p }) =>
  db
    .updateTable("secrets")
    .set((eb) => ({
      updated_at: p("now"),
      updater_id: p("updaterId"),
      metadata_version: eb("metadata_version", "+", 1),
      revision: eb("revision", "+", 1),
    }))
    .where("owner_id", "=", p("ownerId"))
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
}>("secrets.advanceVersion").write(({ db, p }) =>
  db
    .updateTable("secrets")
    .set((eb) => ({
      version: p("version"),
      metadata_version: p("metadataVersion"),
      expires_at: p("expiresAt"),
      ends_at: endsAt(p("expiresAt")),
      notice_at: p("noticeAt"),
      updated_at: p("now"),
      updater_id: p("updaterId"),
      revision: eb("revision", "+", 1),
    }))
    .where("owner_id", "=", p("ownerId"))
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
}>("secrets.setDeletion").write(({ db, p }) =>
  db
    .updateTable("secrets")
    .set((eb) => ({
      deleted_at: p("deletedAt"),
      notice_at: p("noticeAt"),
      updated_at: p("now"),
      updater_id: p("updaterId"),
      revision: eb("revision", "+", 1),
    }))
    .where("owner_id", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

/** Destroys the secret with its names and versions. */
export const destroySecret = prepare<{ ownerId: string; id: string }>("secrets.destroy").write(({ db, p }) =>
  db.deleteFrom("secrets").where("owner_id", "=", p("ownerId")).where("id", "=", p("id")),
);

/** Secrets of all owners whose notice is due, the earliest first. */
export const listDueNotices = prepare<{ now: number; limit: number }>("secrets.listDueNotices").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("secrets")
      .select(["id", "owner_id"])
      .where("notice_at", "is not", null)
      .where("notice_at", "<=", p("now"))
      .where(({ ref }) => isNotRemoved(ref("secrets.owner_id")))
      .orderBy("notice_at")
      .limit(p("limit")),
);

export const setNotice = prepare<{ ownerId: string; id: string; noticeAt: number | null }>("secrets.setNotice").write(
  ({ db, p }) =>
    db
      .updateTable("secrets")
      .set({ notice_at: p("noticeAt") })
      .where("owner_id", "=", p("ownerId"))
      .where("id", "=", p("id")),
);

/** Secrets of all owners that were deleted at or before `deletedAt`, the earliest first. */
export const listToPurge = prepare<{ deletedAt: number; limit: number }>("secrets.listToPurge").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("secrets")
      .select(["id", "owner_id"])
      .where("deleted_at", "is not", null)
      .where("deleted_at", "<=", p("deletedAt"))
      .where(({ ref }) => isNotRemoved(ref("secrets.owner_id")))
      .orderBy("deleted_at")
      .limit(p("limit")),
);
