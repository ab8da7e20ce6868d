// Statements on which master keys wrap the data keys of versions. They go through all owners: a master key is the
// instance's.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";

/** Each key once, by as many looks into the index as there are keys, however many versions there are. */
export const listUsedKeys = prepare("secretKeys.listUsed").many(({ db }) =>
  db
    .selectFrom(
      sql<{ key_id: string }>`(with recursive used (key_id) as (
        select min(key_id) from secret_versions
        union all
        select (select min(later.key_id) from secret_versions as later where later.key_id > used.key_id)
        from used where used.key_id is not null
      ) select key_id from used where key_id is not null)`.as("used_keys"),
    )
    .select("key_id"),
);

export const countVersionsUnder = prepare<{ keyId: string }>("secretKeys.count").one(({ db, p }) =>
  db
    .selectFrom("secret_versions")
    .select(({ fn }) => fn.countAll<number>().as("versions"))
    .where("key_id", "=", p("keyId")),
);

/** The versions under a key from a place on, without their values. */
export const listVersionsUnder = prepare<{ keyId: string; afterId: string; afterVersion: number; limit: number }>(
  "secretKeys.listVersions",
).many(({ db, p }) =>
  db
    .selectFrom("secret_versions")
    .select(["owner_id", "secret_id", "version", "wrapped_key"])
    .where("key_id", "=", p("keyId"))
    .where(sql<boolean>`(secret_id, version) > (${p("afterId")}, ${p("afterVersion")})`)
    .orderBy("secret_id")
    .orderBy("version")
    .limit(p("limit")),
);

export const findCiphertext = prepare<{ secretId: string; version: number }>("secretKeys.findCiphertext").one(
  ({ db, p }) =>
    db
      .selectFrom("secret_versions")
      .select("ciphertext")
      .where("secret_id", "=", p("secretId"))
      .where("version", "=", p("version")),
);

/** Puts the data key of a version under another master key, unless somebody else has done so. */
export const replaceVersionKey = prepare<{
  ownerId: string;
  secretId: string;
  version: number;
  previousKeyId: string;
  keyId: string;
  wrappedKey: Uint8Array;
}>("secretKeys.replace").run(({ db, p }) =>
  db
    .updateTable("secret_versions")
    .set({ key_id: p("keyId"), wrapped_key: p("wrappedKey") })
    .where("owner_id", "=", p("ownerId"))
    .where("secret_id", "=", p("secretId"))
    .where("version", "=", p("version"))
    .where("key_id", "=", p("previousKeyId")),
);
