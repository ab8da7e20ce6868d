// Statements on the secrets that other resources refer to by id.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

/** `ids` is a JSON array. Deleted secrets too. With the bare `owner_id`, SQLite would scan all secrets of the owner. */
export const listReferenced = prepare<{ ownerId: string; ids: string }>("secrets.listReferenced").many(
  ({ db, p, isElement }) =>
    db
      .selectFrom("secrets")
      .select([
        "id",
        "owner_id",
        "name",
        "project_id",
        "version",
        "decryptable",
        "expires_at",
        "deleted_at",
        "updated_at",
      ])
      .where(isElement(sql.ref("id"), "ids"))
      .where(sql<boolean>`owner_id || '' = ${p("ownerId")}`),
);

/** The newest values of the same secrets, sealed. */
export const listSealed = prepare<{ ownerId: string; ids: string }>("secrets.listSealed").many(({ db, p, isElement }) =>
  db
    .selectFrom("secrets as secret")
    .innerJoin("secret_versions as newest", (join) =>
      join.onRef("newest.secret_id", "=", "secret.id").onRef("newest.version", "=", "secret.version"),
    )
    .select([
      "newest.owner_id",
      "newest.secret_id",
      "newest.version",
      "newest.encoding",
      "newest.key_id",
      "newest.wrapped_key",
      "newest.ciphertext",
    ])
    .where(isElement(sql.ref("secret.id"), "ids"))
    .where(sql<boolean>`secret.owner_id || '' = ${p("ownerId")}`),
);
