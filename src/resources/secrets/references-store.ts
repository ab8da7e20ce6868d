// Statements on the secrets that other resources refer to by id.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";

/** `ids` is a JSON array. Deleted secrets too. With the bare `owner_id`, SQLite would scan all secrets of the owner. */
export const listReferenced = prepare<{ ownerId: string; ids: string }>("secrets.listReferenced").many(
  ({ db, p, isElement }) =>
    db
      .selectFrom("secrets")
      .select(["id", "owner_id", "name", "project_id", "version", "decryptable", "expires_at", "deleted_at"])
      .where(isElement(sql.ref("id"), "ids"))
      .where(sql<boolean>`owner_id || '' = ${p("ownerId")}`),
);

/**
 * The same secrets with their newest values, sealed. Those columns are null where the version is missing, which is when somebody
 * changed the database.
 */
export const listSealed = prepare<{ ownerId: string; ids: string }>("secrets.listSealed").many(({ db, p, isElement }) =>
  db
    .selectFrom("secrets as secret")
    .leftJoin("secret_versions as newest", (join) =>
      join.onRef("newest.secret_id", "=", "secret.id").onRef("newest.version", "=", "secret.version"),
    )
    .select([
      "secret.id",
      "secret.owner_id",
      "secret.name",
      "secret.project_id",
      "secret.version",
      "secret.decryptable",
      "secret.expires_at",
      "secret.deleted_at",
      "newest.encoding",
      "newest.key_id",
      "newest.wrapped_key",
      "newest.ciphertext",
    ])
    .where(isElement(sql.ref("secret.id"), "ids"))
    .where(sql<boolean>`secret.owner_id || '' = ${p("ownerId")}`),
);
