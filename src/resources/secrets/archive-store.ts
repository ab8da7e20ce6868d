// Statements that read secrets as a whole, and write them as they were elsewhere.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";
import type { Tables } from "../../store/tables.ts";

export const countSecrets = prepare<{ ownerId: string }>("secretArchive.count").one(({ db, p }) =>
  db
    .selectFrom("secrets")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("owner_id", "=", p("ownerId"))
    .where("deleted_at", "is", null),
);

/** All versions that are kept of a secret, at most a hundred, with their sealed values. */
export const listSealedVersions = prepare<{ ownerId: string; secretId: string }>("secretArchive.listVersions").many(
  ({ db, p }) =>
    db
      .selectFrom("secret_versions")
      .selectAll()
      .where("owner_id", "=", p("ownerId"))
      .where("secret_id", "=", p("secretId"))
      .orderBy("version"),
);

/** Does nothing when some secret of the store has the id already; answers how many rows it made. */
export const insertSecretOnce = prepare<{
  id: string;
  ownerId: string;
  teamId: string | null;
  userId: string | null;
  name: string;
  nameKey: string;
  description: string | null;
  tags: string;
  projectId: string | null;
  decryptable: number;
  maxVersions: number;
  expiresAt: number | null;
  noticeAt: number | null;
  version: number;
  metadataVersion: number;
  creatorId: string | null;
  createdAt: number;
  updatedAt: number;
  position: number;
}>("secretArchive.insertSecret").run(({ db, p, nextPosition }) =>
  db
    .insertInto("secrets")
    .values({
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
      notice_at: p("noticeAt"),
      version: p("version"),
      metadata_version: p("metadataVersion"),
      creator_id: p("creatorId"),
      created_at: p("createdAt"),
      updated_at: p("updatedAt"),
      deleted_at: null,
      position: nextPosition("secrets", { column: "owner_id", param: "ownerId" }),
      revision: sql.lit(1),
    })
    .onConflict((conflict) => conflict.column("id").doNothing()),
);

/** A name of any kind, the oldest of its secret first. */
export const insertPastName = prepare<{
  ownerId: string;
  secretId: string;
  name: string;
  nameKey: string;
  kind: Tables["secret_names"]["kind"];
  isReserved: number;
  begunAt: number;
  endedAt: number | null;
  position: number;
}>("secretArchive.insertName").run(({ db, p, nextPosition }) =>
  db.insertInto("secret_names").values({
    secret_id: p("secretId"),
    position: nextPosition("secret_names", { column: "secret_id", param: "secretId" }),
    owner_id: p("ownerId"),
    name: p("name"),
    name_key: p("nameKey"),
    kind: p("kind"),
    is_reserved: p("isReserved"),
    begun_at: p("begunAt"),
    ended_at: p("endedAt"),
  }),
);
