// The embedded store: node:sqlite in WAL mode. A server's reads (reader.ts) never wait for the one writing connection,
// which the writer thread owns (writer-thread.ts).
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SQLInputValue, StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { Binding, SqlParams, Statement } from "../../kernel/tx.ts";
import { StoreError, withRetry } from "../database.ts";
import type { Admin, Database, SnapshotTx, WriteTx } from "../database.ts";
import { createChangeRecorder } from "./changed-owners.ts";
import type { Row, Table } from "../tables/table.ts";
import { copySqlite, insertSqliteRows, readSqliteRows } from "./rows.ts";

const BUSY_TIMEOUT_MS = 5_000;
/** A log that has grown beyond this, by a large change or a long read, is cut back when it restarts. */
const LOG_LIMIT_BYTES = 32 * 1024 * 1024;
/** 32 MB: pages that many commits change are written back once. SQLite's default is 4 MB. */
const CHECKPOINT_PAGES = 8_000;
/**
 * Memory for pages of a connection that writes: those that its changes touch again and again, each owner's in every index. SQLite's
 * default of 2 MB is too little for a few hundred owners. A reader has to read its pages again after each commit anyway.
 */
const WRITER_CACHE_KIB = 16_384;
const WRITE = "BEGIN IMMEDIATE";
const SQLITE_BUSY = 5;
const SQLITE_DAMAGED = new Set([11, 26]);

/** Makes a row object from the values of its columns. */
type MakeRow = (values: readonly unknown[]) => unknown;

/**
 * Compiles the row factory for a statement's columns, whose names come from our own SQL and never from a request. The driver's
 * row objects are dictionaries, slow to make and to read: for a page of 20 teams, arrays and this factory take half the time.
 */
function compileRowFactory(columns: readonly string[]): MakeRow {
  const members = columns.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- one literal, so that all rows share one shape
  return new Function("values", `return { ${members.join(", ")} };`) as MakeRow;
}

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
  #onlyChanged: string | null = null;

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

  write(statement: Statement, params: SqlParams): void {
    this.run(statement, params);
  }

  run(statement: Statement, params: SqlParams): number {
    const slot = this.#slot(statement);
    return Number(slot.statement.run(...bindValues(slot, params)).changes);
  }

  /** BEGIN IMMEDIATE has made this transaction the only writer. */
  async lockOwner(): Promise<boolean> {
    return false;
  }

  async lockTable(): Promise<void> {}

  changesOnly(ownerId: string): void {
    this.#onlyChanged = ownerId;
  }

  /** What the unit of work since the last call has promised; null: nothing. */
  takePromise(): string | null {
    const ownerId = this.#onlyChanged;
    this.#onlyChanged = null;
    return ownerId;
  }

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

export interface SqliteConnection {
  readonly db: DatabaseSync;
  readonly tx: SqliteTx;
}

/**
 * `still` reads a file that nobody changes and that has no log, in a folder that may be read-only. `draft` makes a new file that is
 * useless until it is complete: a failure leaves garbage; a success is in the file itself, and the caller syncs it to disk.
 */
export type SqliteMode = "read" | "write" | "still" | "draft";

/** Opens a connection; a reading one refuses to write. */
export function connectSqlite(file: string, mode: SqliteMode): SqliteConnection {
  let db: DatabaseSync;
  try {
    const name = mode === "still" ? `${pathToFileURL(file).href}?immutable=1` : file;
    const readOnly = mode === "read" || mode === "still";
    db = new DatabaseSync(name, { readOnly, timeout: BUSY_TIMEOUT_MS });
    if (mode === "write") {
      db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
      db.exec(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}; PRAGMA cache_size = -${WRITER_CACHE_KIB};`);
    }
    if (mode === "draft") {
      // Otherwise SQLite silently keeps its journal: https://sqlite.org/c3ref/c_dbconfig_defensive.html
      db.enableDefensive(false);
      // Exclusive locking also avoids the shared memory, which is a file.
      db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
      db.enableDefensive(true);
    }
    db.exec("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;");
  } catch (error) {
    throw new StoreError(`cannot open the database ${file}: ${(error as Error).message}`, { cause: error });
  }
  return { db, tx: new SqliteTx(db) };
}

/**
 * Lets a connection sort in files beside its database from now on, outside of a transaction: to build an index of a large table, all of
 * it would be in memory otherwise. The system's folder for such files may be memory too, as that of a container is.
 */
export async function sortInFiles(admin: Admin): Promise<void> {
  const [main] = await admin.query("pragma database_list");
  const folder = dirname(main?.["file"] as string);
  await admin.exec(`pragma temp_store_directory = '${folder.replaceAll("'", "''")}'; pragma temp_store = file`);
}

function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) % 256;
}

export function isSqliteBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

/** Whether the file is no database, or a damaged one. */
export function isSqliteDamaged(error: unknown): boolean {
  return SQLITE_DAMAGED.has(primaryCode(error instanceof StoreError ? error.cause : error));
}

/** A database on the calling thread: for the command line and for migrations. */
export function openSqlite(file: string, mode: SqliteMode = "write"): Database {
  const { db, tx } = connectSqlite(file, mode);
  // Handlers await, so two transactions of this process could interleave on the one connection: they take turns.
  let last: Promise<unknown> = Promise.resolve();
  const changes = createChangeRecorder(db);

  async function runOnce<T>(begin: typeof WRITE | "BEGIN", work: (tx: SqliteTx) => Promise<T>): Promise<T> {
    db.exec(begin);
    try {
      const result = await work(tx);
      if (begin === WRITE) changes.record(null);
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
    concurrency: { reads: 1, writes: 1 },
    reader: tx,
    scanner: tx,
    versions: null,
    transaction: (work) => takeTurn(() => withRetry(() => runOnce(WRITE, work), isSqliteBusy)),
    snapshot: (work) => takeTurn(() => runOnce("BEGIN", work)),
    copyTo: (target, onProgress) => takeTurn(() => runOnce("BEGIN", () => copySqlite(db, target, onProgress))),
    admin: tx,
    connections: () => null,
    onTooFewConnections: () => undefined,
    describeLockHolders: async () => "",
    renew: async () => false,
    async close() {
      await last;
      db.close();
    },
  };
}
