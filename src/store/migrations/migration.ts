// What one step of the schema looks like.
import type { Engine } from "../../kernel/tx.ts";
import type { WriteTx } from "../database.ts";

/** The few words in which the engines' table definitions differ. */
export interface Dialect {
  /** Text that compares byte by byte, whatever the database's locale. */
  readonly text: string;
  readonly big: string;
  readonly bytes: string;
  /** Stores the rows in the order of the primary key. */
  readonly clustered: string;
}

export interface Migration {
  readonly version: number;
  readonly name: string;
  statements(dialect: Dialect): string[];
  /** Writes rows that only a program can work out. */
  fill?(tx: WriteTx): Promise<void>;
  /** Makes what an engine keeps beside the tables and derives from their rows: in no inventory, and in no archive. */
  derived?(engine: Engine): readonly string[];
}
