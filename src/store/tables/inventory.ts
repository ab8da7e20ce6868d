// What a schema consists of: its tables, in an order in which rows can be written whatever they refer to. Read from the
// migrations themselves, so no table that one of them makes can be left out, and none that somebody else made gets in.
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS, statementsOf } from "../migrations/migrate.ts";
import type { ColumnType, Table } from "./table.ts";

const TYPES: Readonly<Record<string, ColumnType>> = {
  text: "text",
  integer: "integer",
  blob: "bytes",
  "double precision": "real",
};

function typeOf(table: string, column: string, declared: string): ColumnType {
  const type = TYPES[declared.toLowerCase()];
  if (type === undefined) throw new TypeError(`${table}.${column}: an inventory knows no columns of ${declared}`);
  return type;
}

interface Found extends Table {
  /** Names of the tables that its rows refer to. */
  readonly refersTo: readonly string[];
}

function findTables(db: DatabaseSync): Found[] {
  const names = db.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  return names.map(({ name }) => {
    const table = name as string;
    const columns = db.prepare("select name, type, pk from pragma_table_info(?) order by cid").all(table);
    const foreign = db.prepare('select distinct "table" as name from pragma_foreign_key_list(?)').all(table);
    return {
      name: table,
      columns: columns.map((column) => ({
        name: column["name"] as string,
        type: typeOf(table, column["name"] as string, column["type"] as string),
      })),
      key: columns
        .filter(({ pk }) => pk !== 0)
        .toSorted((one, other) => Number(one["pk"]) - Number(other["pk"]))
        .map((column) => column["name"] as string),
      refersTo: foreign.map((reference) => reference["name"] as string).filter((other) => other !== table),
    };
  });
}

/** Each table behind those that it refers to, by name where that leaves a choice. */
function inOrder(tables: readonly Found[]): Table[] {
  const ordered: Found[] = [];
  const isPlaced = (name: string) => ordered.some((table) => table.name === name);
  while (ordered.length < tables.length) {
    const next = tables.find(({ name, refersTo }) => !isPlaced(name) && refersTo.every(isPlaced));
    if (!next) throw new Error("tables that refer to each other in a circle have no order");
    ordered.push(next);
  }
  return ordered.map(({ name, columns, key }) => ({ name, columns, key }));
}

/** The tables of a schema version, from the first that can be written to the last. */
export function listTables(schemaVersion: number): readonly Table[] {
  using db = new DatabaseSync(":memory:");
  for (const migration of MIGRATIONS.slice(0, schemaVersion)) {
    for (const statement of statementsOf(migration, "sqlite")) db.exec(statement);
  }
  return inOrder(findTables(db));
}
