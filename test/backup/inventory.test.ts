// Compares the tables in archives with those of the store: none of Reeve's is missing, and no other is included.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openDatabase } from "../../src/serve/open-database.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import { listTables } from "../../src/platform/store/tables/inventory.ts";
import { SCHEMA_VERSION, migrate } from "../../src/platform/store/migrations/migrate.ts";
import { ENGINE, createStorage } from "../harness/test-app.ts";

const storage = await createStorage();
const database = await openDatabase(readSettings(storage.flags, {}));
after(async () => {
  await database.close();
  await storage.remove();
});
await migrate(database, null, 0);

/** `table.column type` of the whole database, from its engine: by table, with the columns in order. */
async function describeLive(): Promise<string[]> {
  const rows = await database.admin.query(
    ENGINE === "sqlite"
      ? `select t.name as "table", c.name as "column", c.type as type
          from sqlite_schema t join pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite_%'
          order by t.name, c.cid`
      : `select table_name as "table", column_name as "column", data_type as type
          from information_schema.columns where table_schema = current_schema()
          order by table_name collate "C", ordinal_position`,
  );
  return rows
    .filter(
      ({ table }) =>
        table !== "schema_migrations" &&
        !/^(?:search_(?:scopes|index)|changed_owners|version_totals|event_keys|write_probes)/.test(String(table)),
    )
    .map((row) => `${String(row["table"])}.${String(row["column"])} ${typeOf(String(row["type"]).toLowerCase())}`);
}

const TYPES: Readonly<Record<string, string>> = { bigint: "integer", blob: "bytes", bytea: "bytes" };
const typeOf = (type: string) => TYPES[type] ?? (type === "double precision" ? "real" : type);

const tables = listTables(SCHEMA_VERSION);

test("every table and column of the store is listed, with its type", async () => {
  const listed = tables
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name} ${column.type}`));
  assert.deepEqual(listed, await describeLive());
  assert.ok(listed.length > 300);
});

test("every table has a place in the order, after the tables that it refers to", async () => {
  for (const { name, columns, key } of tables) {
    assert.ok(key.length > 0, name);
    for (const column of key) assert.ok(columns.some((known) => known.name === column));
  }
  const names = tables.map(({ name }) => name);
  const references = await database.admin.query(
    ENGINE === "sqlite"
      ? `select t.name as "from", f."table" as "to" from sqlite_schema t join pragma_foreign_key_list(t.name) f`
      : `select conrelid::regclass::text as "from", confrelid::regclass::text as "to" from pg_constraint where contype = 'f'`,
  );
  assert.ok(references.length > 20);
  for (const { from, to } of references) {
    assert.ok(names.indexOf(String(to)) < names.indexOf(String(from)), `${String(from)} refers to ${String(to)}`);
  }
});

test("an older schema has its own tables, and no schema has a foreign table", async () => {
  await database.admin.exec("create table _litestream_seq (id integer primary key, seq integer)");
  assert.deepEqual(
    listTables(SCHEMA_VERSION).map(({ name }) => name),
    tables.map(({ name }) => name),
  );
  const first = listTables(1).map(({ name }) => name);
  assert.ok(first.includes("events") && !first.includes("secrets"));
  assert.equal(listTables(1).find(({ name }) => name === "owners")?.columns.length, 5);
});
