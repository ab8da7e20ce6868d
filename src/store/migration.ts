// What one step of the schema looks like.

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
}
