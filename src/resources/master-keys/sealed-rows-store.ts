// Statements on which master keys wrap the data keys of a table's rows. They go through all owners: a master key is the
// instance's.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";

/** A table of sealed values, and its column that says what a value belongs to; beside that, values have versions. */
export type SealedTable =
  | { readonly table: "secret_versions"; readonly belongsTo: "secret_id" }
  | { readonly table: "webhook_secrets"; readonly belongsTo: "webhook_id" };

type Name = { id: string; version: number };

/** `name` begins those of the statements. */
export function prepareSealedRows(name: string, sealed: SealedTable) {
  // All have these columns; what the compiler is told of one of them holds for each.
  const { table, belongsTo } = sealed as { readonly table: "secret_versions"; readonly belongsTo: "secret_id" };
  return {
    /** Each key once, by as many looks into the index as there are keys, however many rows there are. */
    listKeys: prepare(`${name}.listUsed`).many(({ db }) =>
      db
        .selectFrom(
          sql<{ key_id: string }>`(with recursive used (key_id) as (
            select min(key_id) from ${sql.table(table)}
            union all
            select (select min(later.key_id) from ${sql.table(table)} as later where later.key_id > used.key_id)
            from used where used.key_id is not null
          ) select key_id from used where key_id is not null)`.as("used_keys"),
        )
        .select("key_id"),
    ),

    count: prepare<{ keyId: string }>(`${name}.count`).one(({ db, p }) =>
      db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as("rows"))
        .where("key_id", "=", p("keyId")),
    ),

    /** Those under a key from a place on, without their values. */
    list: prepare<{ keyId: string; afterId: string; afterVersion: number; limit: number }>(`${name}.list`).many(
      ({ db, p }) =>
        db
          .selectFrom(table)
          .select(["owner_id as ownerId", `${belongsTo} as id`, "version", "wrapped_key as wrappedKey"])
          .where("key_id", "=", p("keyId"))
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

    /** Puts a data key under another master key, unless somebody else has done so. */
    replaceKey: prepare<Name & { ownerId: string; previousKeyId: string; keyId: string; wrappedKey: Uint8Array }>(
      `${name}.replace`,
    ).run(({ db, p }) =>
      db
        .updateTable(table)
        .set({ key_id: p("keyId"), wrapped_key: p("wrappedKey") })
        .where("owner_id", "=", p("ownerId"))
        .where(belongsTo, "=", p("id"))
        .where("version", "=", p("version"))
        .where("key_id", "=", p("previousKeyId")),
    ),
  };
}
