// Reads of a server on the embedded store. They never wait for the writer thread (writer-thread.ts), which makes its changes.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { HistogramSeries } from "../../kernel/telemetry/metrics.ts";
import type { Awaitable, SqlParams, Statement, Tx } from "../../kernel/tx.ts";
import type { Admin } from "../database.ts";
import { createStoreMeter } from "../meter.ts";
import type { StoreMeter } from "../meter.ts";
import { createCommitReader } from "./changed-owners.ts";
import { connectSqlite } from "./sqlite.ts";
import type { SqliteConnection, SqliteTx } from "./sqlite.ts";
import { OwnerVersions } from "../versions.ts";
import type { ChangedOwners, StoreVersions } from "../versions.ts";

/** One in this many reads is timed: reading the clock twice may cost a tenth of a read. */
const TIMED_READS = 16;

function prepareVersion(db: DatabaseSync): () => number {
  const statement = db.prepare("PRAGMA data_version");
  statement.setReturnArrays(true);
  return () => (statement.get() as unknown as [number])[0];
}

/**
 * Reads of one turn of the event loop share a snapshot: a request sees one state of the database, and the file locks that every
 * transaction costs (three system calls) are paid once for all requests of the turn. A second connection without a snapshot
 * shows a later request of the turn whether any process has committed since: it shares the locks of the first one, so it makes
 * no system call.
 */
class SnapshotReader implements Tx, StoreVersions {
  readonly engine = "sqlite";
  readonly #db: DatabaseSync;
  readonly #tx: SqliteTx;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #readVersion: () => number;
  readonly #readPresent: () => number;
  readonly #times: HistogramSeries;
  readonly #readCommits: () => readonly ChangedOwners[] | null;
  readonly #versions = new OwnerVersions();
  #isOpen = false;
  #version = 0;
  /** The version that the second connection saw when, or before, the snapshot was taken. */
  #present = 0;
  /** Something was committed since `#present` was read. */
  #isOutdated = true;
  #reads = 0;
  /** Resolves in the next turn; what waits for it in this one shares it. */
  #nextTurn: Promise<void> | undefined;

  constructor({ db, tx }: SqliteConnection, watcher: DatabaseSync, { reads }: StoreMeter) {
    this.#db = db;
    this.#tx = tx;
    this.#times = reads;
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
    this.#readVersion = prepareVersion(db);
    this.#readPresent = prepareVersion(watcher);
    this.#readCommits = createCommitReader(db);
  }

  #look(): void {
    this.#present = this.#readPresent();
    this.#isOutdated = false;
  }

  #take(): void {
    this.#begin.run();
    this.#isOpen = true;
    try {
      // Asked inside the transaction, it also fixes the snapshot: https://sqlite.org/pragma.html#pragma_data_version
      const version = this.#readVersion();
      if (version !== this.#version) this.#versions.advance(this.#readCommits());
      this.#version = version;
    } catch (error) {
      // End a snapshot of unknown version: it would be taken for the last one.
      this.end();
      throw error;
    }
  }

  #open(): void {
    if (this.#isOpen) return;
    const last = this.#version;
    const hasLooked = this.#isOutdated;
    if (hasLooked) this.#look();
    this.#take();
    if (this.#version !== last && !hasLooked) {
      // Another process has committed since the last look, which has to come before the snapshot.
      this.end();
      this.#look();
      this.#take();
    }
    setImmediate(() => this.end());
  }

  /**
   * If anybody has committed since the turn's snapshot was taken, waits for the next turn and a new snapshot. Ending the snapshot
   * here would mix two states in the reads of the turn's other requests.
   */
  refresh(): Awaitable<void> {
    if (!this.#isOpen) return undefined;
    this.#isOutdated ||= this.#readPresent() !== this.#present;
    return this.#isOutdated ? (this.#nextTurn ??= nextTurn()) : undefined;
  }

  /** Constant during one turn. */
  present(): number {
    this.#open();
    return this.#versions.present;
  }

  isCurrent(readAt: number, ownerId: string | null): boolean {
    this.#open();
    return this.#versions.isCurrent(readAt, ownerId);
  }

  /** Makes the next read see what this process has committed. */
  recordCommit(): void {
    this.#isOutdated = true;
    this.end();
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#nextTurn = undefined;
    try {
      this.#commit.run();
    } catch {
      // The file is damaged or unreadable: reads fail for this reason, so the failure to end the snapshot is ignored.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    }
  }

  one(statement: Statement, params: SqlParams): unknown {
    this.#open();
    if (++this.#reads % TIMED_READS !== 0) return this.#tx.one(statement, params);
    const startedAt = performance.now();
    const row = this.#tx.one(statement, params);
    this.#times.observe((performance.now() - startedAt) / 1_000);
    return row;
  }

  many(statement: Statement, params: SqlParams): unknown[] {
    this.#open();
    if (++this.#reads % TIMED_READS !== 0) return this.#tx.many(statement, params);
    const startedAt = performance.now();
    const rows = this.#tx.many(statement, params);
    this.#times.observe((performance.now() - startedAt) / 1_000);
    return rows;
  }

  write(statement: Statement): void {
    this.run(statement);
  }

  run(statement: Statement): number {
    throw new TypeError(`${statement.name}: a reader does not write`);
  }
}

export interface SqliteReader {
  readonly reader: Tx;
  readonly admin: Admin;
  readonly versions: StoreVersions;
  /** Must be called before a write is acknowledged, so that the next read sees it. */
  endSnapshot(): void;
  close(): void;
}

export function openSqliteReader(file: string, meter: StoreMeter = createStoreMeter()): SqliteReader {
  const connection = connectSqlite(file, "read");
  const watcher = connectSqlite(file, "read").db;
  const reader = new SnapshotReader(connection, watcher, meter);
  return {
    reader,
    admin: connection.tx,
    versions: reader,
    endSnapshot: () => reader.recordCommit(),
    close() {
      reader.end();
      watcher.close();
      connection.db.close();
    },
  };
}
