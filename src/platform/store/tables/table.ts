// The description of a table for reading and writing it as a whole, on either engine.
import type { SqlValue } from "../../kernel/tx.ts";

export type ColumnType = "text" | "integer" | "real" | "bytes";

interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export interface Table {
  readonly name: string;
  /** In the order of their creation. */
  readonly columns: readonly Column[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
}

/** The values of a row, in the order of its table's columns. */
export type Row = readonly SqlValue[];

export function selectRows({ name, columns, key }: Table): string {
  return `select ${columns.map((column) => column.name).join(", ")} from ${name} order by ${key.join(", ")}`;
}

/** The approximate size of a row in bytes. */
export function sizeOf(row: Row): number {
  let size = 0;
  for (const value of row) size += typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
  return size;
}
