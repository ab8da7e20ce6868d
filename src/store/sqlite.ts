// The embedded store: node:sqlite in WAL mode. Reads run on the serving thread's connection and never wait for the
// one writing connection, which the writer thread owns (writer-thread.ts).
import { DatabaseSync } from "node:sqlite";
import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { SqlParams, Statement, Tx } from "../kernel/tx.ts";
import { StoreError, withRetry } from "./database.ts";
import type { Admin, Database, WriteTx } from "./database.ts";

const BUSY_TIMEOUT_MS = 5_000;
const SQLITE_BUSY = 5;

export class SqliteTx implements WriteTx {
  readonly engine = "sqlite";
  readonly #db: DatabaseSync;
  readonly #prepared: (StatementSync | undefined)[] = [];

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  #prepare(statement: Statement): StatementSync {
    const known = this.#prepared[statement.index];
    if (known) return known;
    const prepared = this.#db.prepare(statement.compiled("sqlite").sql);
    this.#prepared[statement.index] = prepared;
    return prepared;
  }

  #bind(statement: Statement, params: SqlParams): SQLInputValue[] {
    const { bind } = statement.compiled("sqlite");
    const values: SQLInputValue[] = Array.from({ length: bind.length });
    for (let i = 0; i < bind.length; i++) {
      const binding = bind[i] as (typeof bind)[number];
      const value = "param" in binding ? params[binding.param] : binding.value;
      if (value === undefined) {
        throw new TypeError(`${statement.name}: parameter ${"param" in binding ? binding.param : i} is missing`);
      }
      values[i] = value;
    }
    return values;
  }

  one(statement: Statement, params: SqlParams): unknown {
    return this.#prepare(statement).get(...this.#bind(statement, params));
  }

  many(statement: Statement, params: SqlParams): unknown[] {
    return this.#prepare(statement).all(...this.#bind(statement, params));
  }

  run(statement: Statement, params: SqlParams): number {
    return Number(this.#prepare(statement).run(...this.#bind(statement, params)).changes);
  }

  /** BEGIN IMMEDIATE made this the only writer. */
  async lockOwner(): Promise<boolean> {
    return false;
  }

  async exec(sql: string): Promise<void> {
    this.#db.exec(sql);
  }

  async query(sql: string, values: readonly (string | number)[] = []): Promise<Record<string, unknown>[]> {
    return this.#db.prepare(sql).all(...values);
  }
}

export interface SqliteConnection {
  readonly db: DatabaseSync;
  readonly tx: SqliteTx;
}

/** Opens a connection; a reading one refuses to write. */
export function connectSqlite(file: string, mode: "read" | "write"): SqliteConnection {
  let db: DatabaseSync;
  try {
    db = new DatabaseSync(file, { readOnly: mode === "read", timeout: BUSY_TIMEOUT_MS });
    if (mode === "write") db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    db.exec("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 268435456;");
  } catch (error) {
    throw new StoreError(`cannot open the database ${file}: ${(error as Error).message}`, { cause: error });
  }
  return { db, tx: new SqliteTx(db) };
}

export function isSqliteBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
}

/** A database that writes on the calling thread: for the command line and for migrations. */
export function openSqlite(file: string): Database {
  const { db, tx } = connectSqlite(file, "write");
  // Verbs await, so two transactions of this process could interleave on the one connection: they take turns.
  let last: Promise<unknown> = Promise.resolve();

  async function runOnce<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    db.exec("BEGIN IMMEDIATE");
    try {
      const result = await work(tx);
      db.exec("COMMIT");
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }

  return {
    engine: "sqlite",
    reader: tx,
    transaction(work) {
      const turn = last.then(() => withRetry(() => runOnce(work), isSqliteBusy));
      last = turn.catch(() => undefined);
      return turn;
    },
    admin: tx,
    async close() {
      await last;
      db.close();
    },
  };
}

/** The reading half of a server: its writes go through the writer thread. */
export function openSqliteReader(file: string): { readonly reader: Tx; readonly admin: Admin; close(): void } {
  const { db, tx } = connectSqlite(file, "read");
  return { reader: tx, admin: tx, close: () => db.close() };
}
