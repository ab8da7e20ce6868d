// The reading half of a server on the embedded store: its writes go through the writer thread (writer-thread.ts), for which
// it never waits.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Histogram } from "../kernel/metrics.ts";
import type { SqlParams, Statement, Tx } from "../kernel/tx.ts";
import type { Admin } from "./database.ts";
import { createStoreMeter } from "./meter.ts";
import type { StoreMeter } from "./meter.ts";
import { connectSqlite } from "./sqlite.ts";
import type { SqliteConnection, SqliteTx } from "./sqlite.ts";

/** One in so many reads is timed: asking for the time twice may cost as much as a tenth of a read. */
const TIMED_READS = 16;

/**
 * Reads of one turn of the event loop share a snapshot: a request sees one state of the database, and the file locks
 * that every transaction costs (three system calls) are paid once for all requests of the turn.
 */
class SnapshotReader implements Tx {
  readonly engine = "sqlite";
  readonly #db: DatabaseSync;
  readonly #tx: SqliteTx;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #times: Histogram;
  #isOpen = false;
  #version = 0;
  #reads = 0;

  constructor({ db, tx }: SqliteConnection, { reads }: StoreMeter) {
    this.#db = db;
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
    try {
      this.#commit.run();
    } catch {
      // A file that is damaged or can't be read any more: the reads have told that, and the next ones will.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    }
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

export interface SqliteReader {
  readonly reader: Tx;
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
  return {
    reader,
    admin: connection.tx,
    readVersion: () => reader.version(),
    endSnapshot: () => reader.end(),
    close() {
      reader.end();
      connection.db.close();
    },
  };
}
