// The embedded store: node:sqlite in WAL mode. Reads run on the serving thread's connection and never wait for the
// one writing connection, which the writer thread owns (writer-thread.ts).
import { DatabaseSync } from "node:sqlite";
import type { SQLInputValue, StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { Histogram } from "../kernel/metrics.ts";
import type { Binding, SqlParams, Statement, Tx } from "../kernel/tx.ts";
import { StoreError, withRetry } from "./database.ts";
import type { Admin, Database, SnapshotTx, WriteTx } from "./database.ts";
import { createStoreMeter } from "./meter.ts";
import type { StoreMeter } from "./meter.ts";
import type { Row, Table } from "./table.ts";
import { compileRowFactory } from "./row-factory.ts";
import type { MakeRow } from "./row-factory.ts";
import { copySqlite, insertSqliteRows, readSqliteRows } from "./sqlite-rows.ts";

const BUSY_TIMEOUT_MS = 5_000;
/** 16 MB: pages that many commits touch are written back once. By itself SQLite would do it after 4 MB. */
const CHECKPOINT_PAGES = 4_000;
const SQLITE_BUSY = 5;
const SQLITE_DAMAGED = new Set([11, 26]);
/** One in so many reads is timed: asking for the time twice may cost as much as a tenth of a read. */
const TIMED_READS = 16;

interface PreparedSlot {
  readonly statement: StatementSync;
  readonly name: string;
  readonly bind: readonly Binding[];
  readonly makeRow: MakeRow;
}

export class SqliteTx implements WriteTx, SnapshotTx {
  readonly engine = "sqlite";
  readonly #db: DatabaseSync;
  readonly #slots: PreparedSlot[] = [];

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  #slot(statement: Statement): PreparedSlot {
    const known = this.#slots[statement.index];
    if (known) return known;
    const { sql, bind } = statement.compiled("sqlite");
    const prepared = this.#db.prepare(sql);
    prepared.setReturnArrays(true);
    const columns = prepared.columns().map(({ name }) => name);
    const slot = { statement: prepared, name: statement.name, bind, makeRow: compileRowFactory(columns) };
    this.#slots[statement.index] = slot;
    return slot;
  }

  one(statement: Statement, params: SqlParams): unknown {
    const slot = this.#slot(statement);
    const values = slot.statement.get(...bindValues(slot, params)) as unknown[] | undefined;
    return values && slot.makeRow(values);
  }

  many(statement: Statement, params: SqlParams): unknown[] {
    const slot = this.#slot(statement);
    return (slot.statement.all(...bindValues(slot, params)) as unknown as unknown[][]).map((values) =>
      slot.makeRow(values),
    );
  }

  run(statement: Statement, params: SqlParams): number {
    const slot = this.#slot(statement);
    return Number(slot.statement.run(...bindValues(slot, params)).changes);
  }

  /** BEGIN IMMEDIATE made this the only writer. */
  async lockOwner(): Promise<boolean> {
    return false;
  }

  async lockTable(): Promise<void> {}

  async exec(sql: string): Promise<void> {
    this.#db.exec(sql);
  }

  async query(sql: string, values: readonly (string | number)[] = []): Promise<Record<string, unknown>[]> {
    return this.#db.prepare(sql).all(...values);
  }

  readRows(table: Table): AsyncIterable<readonly Row[]> {
    return readSqliteRows(this.#db, table);
  }

  async insertRows(table: Table, rows: readonly Row[]): Promise<void> {
    insertSqliteRows(this.#db, table, rows);
  }
}

function bindValues({ name, bind }: PreparedSlot, params: SqlParams): SQLInputValue[] {
  const values: SQLInputValue[] = [];
  for (const binding of bind) {
    const value = "param" in binding ? params[binding.param] : binding.value;
    if (value === undefined) {
      throw new TypeError(`${name}: parameter ${"param" in binding ? binding.param : values.length} is missing`);
    }
    values.push(value);
  }
  return values;
}

/**
 * Reads of one turn of the event loop share a snapshot: a request sees one state of the database, and the file locks
 * that every transaction costs (three system calls) are paid once for all requests of the turn.
 */
class SnapshotReader implements Tx {
  readonly engine = "sqlite";
  readonly #tx: SqliteTx;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #times: Histogram;
  #isOpen = false;
  #version = 0;
  #reads = 0;

  constructor({ db, tx }: SqliteConnection, { reads }: StoreMeter) {
    this.#tx = tx;
    this.#times = reads;
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
    this.#dataVersion = db.prepare("PRAGMA data_version");
    this.#dataVersion.setReturnArrays(true);
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    setImmediate(() => this.end());
    try {
      // Asked inside the transaction, it also fixes the snapshot: https://sqlite.org/pragma.html#pragma_data_version
      this.#version = (this.#dataVersion.get() as unknown as [number])[0];
    } catch (error) {
      // A snapshot of an unknown version would be taken for the last one.
      this.end();
      throw error;
    }
  }

  /** A number that changes with every commit of any other connection, in this process or another. */
  version(): number {
    this.#open();
    return this.#version;
  }

  /** Lets the next read see what was committed since. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#commit.run();
  }

  one(statement: Statement, params: SqlParams): unknown {
    this.#open();
    if (++this.#reads % TIMED_READS !== 0) return this.#tx.one(statement, params);
    const startedAt = performance.now();
    const row = this.#tx.one(statement, params);
    this.#times.observeMs(performance.now() - startedAt);
    return row;
  }

  many(statement: Statement, params: SqlParams): unknown[] {
    this.#open();
    if (++this.#reads % TIMED_READS !== 0) return this.#tx.many(statement, params);
    const startedAt = performance.now();
    const rows = this.#tx.many(statement, params);
    this.#times.observeMs(performance.now() - startedAt);
    return rows;
  }

  run(statement: Statement): number {
    throw new TypeError(`${statement.name}: a reader does not write`);
  }
}

export interface SqliteConnection {
  readonly db: DatabaseSync;
  readonly tx: SqliteTx;
}

/** `still`: for reading a file that nobody changes and that has no log beside it, in a folder that may be read-only. */
export type SqliteMode = "read" | "write" | "still";

/** Opens a connection; a reading one refuses to write. */
export function connectSqlite(file: string, mode: SqliteMode): SqliteConnection {
  let db: DatabaseSync;
  try {
    const name = mode === "still" ? `${pathToFileURL(file).href}?immutable=1` : file;
    db = new DatabaseSync(name, { readOnly: mode !== "write", timeout: BUSY_TIMEOUT_MS });
    if (mode === "write") {
      db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
    }
    db.exec("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 268435456;");
  } catch (error) {
    throw new StoreError(`cannot open the database ${file}: ${(error as Error).message}`, { cause: error });
  }
  return { db, tx: new SqliteTx(db) };
}

function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) % 256;
}

export function isSqliteBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

/** The file is no database, or a damaged one. */
export function isSqliteDamaged(error: unknown): boolean {
  return SQLITE_DAMAGED.has(primaryCode(error instanceof StoreError ? error.cause : error));
}

/** A database that works on the calling thread: for the command line and for migrations. */
export function openSqlite(file: string, mode: SqliteMode = "write"): Database {
  const { db, tx } = connectSqlite(file, mode);
  // Whoever opens it so goes through all of it once: mapped, all of that would count as this process's memory.
  if (mode !== "write") db.exec("PRAGMA mmap_size = 0");
  // Verbs await, so two transactions of this process could interleave on the one connection: they take turns.
  let last: Promise<unknown> = Promise.resolve();

  async function runOnce<T>(begin: string, work: (tx: SqliteTx) => Promise<T>): Promise<T> {
    db.exec(begin);
    try {
      const result = await work(tx);
      db.exec("COMMIT");
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }

  function takeTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  }

  return {
    engine: "sqlite",
    lanes: 1,
    reader: tx,
    transaction: (work) => takeTurn(() => withRetry(() => runOnce("BEGIN IMMEDIATE", work), isSqliteBusy)),
    snapshot: (work) => takeTurn(() => runOnce("BEGIN", work)),
    copyTo: (target, onProgress) => takeTurn(() => runOnce("BEGIN", () => copySqlite(db, target, onProgress))),
    admin: tx,
    connections: () => null,
    async close() {
      await last;
      db.close();
    },
  };
}

/** The reading half of a server: its writes go through the writer thread. */
export interface SqliteReader {
  readonly reader: Tx;
  /**
   * For answers that go through much of the database once. It maps no file into memory: the pages that such a read
   * leaves behind would count as this process's, up to the whole mapping, until somebody writes.
   */
  readonly scanner: Tx;
  readonly admin: Admin;
  /** Changes with every commit to the database, whoever made it. */
  readVersion(): number;
  /** Called before a write is answered, so that whoever reads next sees it. */
  endSnapshot(): void;
  close(): void;
}

export function openSqliteReader(file: string, meter: StoreMeter = createStoreMeter()): SqliteReader {
  const connection = connectSqlite(file, "read");
  const reader = new SnapshotReader(connection, meter);
  const scanning = connectSqlite(file, "read");
  scanning.db.exec("PRAGMA mmap_size = 0");
  const scanner = new SnapshotReader(scanning, meter);
  function endSnapshot(): void {
    reader.end();
    scanner.end();
  }
  return {
    reader,
    scanner,
    admin: connection.tx,
    readVersion: () => reader.version(),
    endSnapshot,
    close() {
      endSnapshot();
      connection.db.close();
      scanning.db.close();
    },
  };
}
