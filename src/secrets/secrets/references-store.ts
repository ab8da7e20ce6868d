// Statements on the secrets that other resources refer to by id.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

/** `ids` is a JSON array. Deleted secrets too. With the bare `owner_id`, SQLite would scan all secrets of the owner. */
export const listReferenced = prepare<{ ownerId: string; ids: string }>("secrets.listReferenced").many(
  ({ db, p, isElement }) =>
    db
      .selectFrom("secrets")
      .select(["id", "ownerId", "name", "projectId", "version", "decryptable", "expiresAt", "deletedAt", "updatedAt"])
      .where(isElement(sql.ref("id"), "ids"))
      .where(sql<boolean>`owner_id || '' = ${p("ownerId")}`),
);

/** The newest values of the same secrets, sealed. */
export const listSealed = prepare<{ ownerId: string; ids: string }>("secrets.listSealed").many(({ db, p, isElement }) =>
  db
    .selectFrom("secrets as secret")
    .innerJoin("secret_versions as newest", (join) =>
      join.onRef("newest.secretId", "=", "secret.id").onRef("newest.version", "=", "secret.version"),
    )
    .select([
      "newest.ownerId",
      "newest.secretId",
      "newest.version",
      "newest.encoding",
      "newest.keyId",
      "newest.wrappedKey",
      "newest.ciphertext",
    ])
    .where(isElement(sql.ref("secret.id"), "ids"))
    .where(sql<boolean>`secret.owner_id || '' = ${p("ownerId")}`),
);
