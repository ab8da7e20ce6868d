// Statements on the master keys that wrap the data keys of a table's rows. They cover all owners, since master keys belong
// to the instance.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";

/** A table of sealed values, and the column with the id of the resource that a value belongs to. Values have versions. */
export type SealedTable =
  | { readonly table: "secret_versions"; readonly belongsTo: "secretId" }
  | { readonly table: "webhook_secrets"; readonly belongsTo: "webhookId" };

type Name = { id: string; version: number };

/** `name` is the prefix of the statements' names. */
export function prepareSealedRows(name: string, sealed: SealedTable) {
  // All tables have these columns, so the types of one of them hold for each.
  const { table, belongsTo } = sealed as { readonly table: "secret_versions"; readonly belongsTo: "secretId" };
  return {
    /** Each key once. It takes one lookup in the index for each key, however many rows there are. */
    listKeys: prepare(`${name}.listUsed`).many(({ db }) =>
      db
        .selectFrom(
          sql<{ keyId: string }>`(with recursive used (key_id) as (
            select min(key_id) from ${sql.table(table)}
            union all
            select (select min(later.key_id) from ${sql.table(table)} as later where later.key_id > used.key_id)
            from used where used.key_id is not null
          ) select key_id from used where key_id is not null)`.as("used_keys"),
        )
        .select("keyId"),
    ),

    count: prepare<{ keyId: string }>(`${name}.count`).one(({ db, p }) =>
      db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as("rows"))
        .where("keyId", "=", p("keyId")),
    ),

    countUpTo: prepare<{ keyId: string; limit: number }>(`${name}.countUpTo`).one(({ db, p }) =>
      db
        .selectFrom((eb) =>
          eb.selectFrom(table).select("keyId").where("keyId", "=", p("keyId")).limit(p("limit")).as("some"),
        )
        .select(({ fn }) => fn.countAll<number>().as("rows")),
    ),

    /** The rows under a key after an id and version, without their ciphertexts. */
    list: prepare<{ keyId: string; afterId: string; afterVersion: number; limit: number }>(`${name}.list`).many(
      ({ db, p }) =>
        db
          .selectFrom(table)
          .select(["ownerId", `${belongsTo} as id`, "version", "wrappedKey"])
          .where("keyId", "=", p("keyId"))
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple(belongsTo, "version"), ">", tuple(p("afterId"), p("afterVersion"))),
          )
          .orderBy(belongsTo)
          .orderBy("version")
          .limit(p("limit")),
    ),

    findCiphertext: prepare<Name>(`${name}.findCiphertext`).one(({ db, p }) =>
      db.selectFrom(table).select("ciphertext").where(belongsTo, "=", p("id")).where("version", "=", p("version")),
    ),

    /** Stores a data key wrapped under another master key, unless another process has done so. */
    replaceKey: prepare<Name & { ownerId: string; previousKeyId: string; keyId: string; wrappedKey: Uint8Array }>(
      `${name}.replace`,
    ).run(({ db, p }) =>
      db
        .updateTable(table)
        .set({ keyId: p("keyId"), wrappedKey: p("wrappedKey") })
        .where("ownerId", "=", p("ownerId"))
        .where(belongsTo, "=", p("id"))
        .where("version", "=", p("version"))
        .where("keyId", "=", p("previousKeyId")),
    ),
  };
}
