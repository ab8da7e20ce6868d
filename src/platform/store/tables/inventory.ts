// The tables of a schema, each after those that it references. They are read from the migrations themselves, so no table of theirs
// is missing, and no foreign table is included.
import { DatabaseSync } from "node:sqlite";
import { migrationsUpTo, statementsOf } from "../migrations/migrate.ts";
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
  /** The names of the tables that it references. */
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

/** Sorts each table after those that it references, and by name otherwise. */
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

/** The tables of a schema version, in the order in which their rows can be inserted. */
export function listTables(schemaVersion: number): readonly Table[] {
  using db = new DatabaseSync(":memory:");
  for (const migration of migrationsUpTo(schemaVersion)) {
    for (const statement of statementsOf(migration, "sqlite")) db.exec(statement);
  }
  return inOrder(findTables(db));
}
