// The shape of a migration.
import type { Engine } from "../../kernel/tx.ts";
import type { WriteTx } from "../database.ts";

/** The parts of table definitions that differ between the engines. */
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
  /**
   * The oldest schema version whose processes can go on beside it: each of their statements works as before on the migrated store, and
   * nothing that they write or leave out is wrong for newer processes. Absent: none; they stop being ready.
   */
  readonly oldestBeside?: number;
  statements(dialect: Dialect): string[];
  /** Writes rows that SQL alone can't compute. */
  fill?(tx: WriteTx): Promise<void>;
  /** Statements for structures that an engine derives from the rows: they are in no inventory and in no archive. */
  derived?(engine: Engine): readonly string[];
}
