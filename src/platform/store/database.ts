// The interface of a database: reads and transactions.
import type { Engine, SqlParams, Statement, Tx } from "../kernel/tx.ts";
import type { Row, Table } from "./tables/table.ts";
import type { Tables } from "./tables/tables.ts";
import type { StoreVersions } from "./versions.ts";

/** An open database. */
export interface Database {
  readonly engine: Engine;
  /** The maximum number of concurrent units of work. */
  readonly concurrency: { readonly reads: number; readonly writes: number };
  /** Runs single statements, outside transactions. */
  readonly reader: Tx;
  /** Like `reader`, for statements with large results: no other statement waits for them. */
  readonly scanner: Tx;
  /** Runs `work` in one transaction, and again after a lost race, so it must have no other effect. */
  transaction<T>(work: (tx: WriteTx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs reads that all see the same state of the database, that of the first read. Writers continue meanwhile. */
  snapshot<T>(work: (tx: SnapshotTx) => Promise<T>): Promise<T>;
  /** The versions that `reader` reads; null for SQLite, whose reader for servers is platform/store/sqlite/reader.ts. */
  readonly versions: StoreVersions | null;
  /** Runs SQL text that is not prepared, outside transactions: for copies and diagnosis only. */
  readonly admin: Admin;
  /** Null unless the database is a file. */
  readonly copyTo: CopyDatabase | null;
  /** Null for an engine without connections. */
  connections(): Connections | null;
  /** Calls the listener each time that one more connection could not be opened. */
  onTooFewConnections(listener: (error: Error) => void): void;
  /** Names the sessions of other programs that have held locks on its tables for a while; empty when there are none. */
  describeLockHolders(): Promise<string>;
  /**
   * Reads from the settings again where the database is and how to log in; resolves to whether that has changed. Rejects with
   * what is wrong, also where nobody answers there, and goes on as before.
   */
  renew(): Promise<boolean>;
  close(): Promise<void>;
}

/** A read that a unit of work will probably ask for. */
export interface PlannedRead {
  readonly statement: Statement;
  readonly params: SqlParams;
}

/** A read that a unit of work has asked for. */
export interface AskedRead extends PlannedRead {
  /** The last statement of the work that may have changed the result; null: there is none. */
  readonly after: Statement | null;
}

/** By their names, the parameters with which a unit of work has run statements that change rows. */
export type Written = Readonly<Record<string, SqlParams>>;

/** What a unit of work will probably read. */
export interface ReadPlan {
  /** What it will read before its next change; `lastChangeFor` tells the last statement that may have changed what one reads. */
  reads(written: Written, lastChangeFor: (statement: Statement) => Statement | null): readonly PlannedRead[];
  /** Gets what it asked for, and which of the planned reads that were sent it has used. */
  learn(
    asked: readonly AskedRead[],
    sent: { readonly used: Iterable<PlannedRead>; readonly unused: Iterable<PlannedRead> },
    written: Written,
  ): void;
  /** A planned read has failed: there are none from now on. */
  fail(): void;
}

export interface TransactionOptions {
  /** Gets the times of the last run. */
  readonly observe?: ((timing: WorkTiming) => void) | undefined;
  /** The owner that the work is expected to lock before it changes anything. On PostgreSQL it is locked with the begin. */
  readonly ownerId?: string | undefined;
  /** It may share a transaction with work of other owners, of whose rows it locks none. */
  readonly isShared?: boolean | undefined;
  readonly plan?: ReadPlan | undefined;
}

/** The times of one unit of work that wrote, in ms. */
export interface WorkTiming {
  /** From its arrival to the start of its transaction. */
  readonly waitMs: number;
  /** The unit's own share of the transaction. */
  readonly runMs: number;
  /** From the end of the unit to the end of the commit. */
  readonly commitMs: number;
}

/** The number of connections of a pool. */
export interface Connections {
  /** Host and port of the server that was used last. */
  readonly host: string;
  readonly total: number;
  readonly idle: number;
  /** Transactions and reads that wait for a connection. */
  readonly waiting: number;
  /** Why one more could not be opened within the last minute; null: it could. */
  readonly refusal: StoreFailureReason | null;
}

/** Copies the present state of a database into a new or empty file, and syncs that to disk. Writers go on meanwhile. */
export type CopyDatabase = (file: string, onProgress: (done: number, total: number) => void) => Promise<void>;

/** A transaction that sees one state of the database and can read whole tables. */
export interface SnapshotTx extends Tx, Pick<Admin, "query"> {
  /** The rows of a table in batches, by primary key. */
  readRows(table: Table): AsyncIterable<readonly Row[]>;
}

/** A transaction that can also take locks, and run SQL text for migrations. */
export interface WriteTx extends Tx, Admin {
  /**
   * Serialises the mutations of one owner until the transaction ends. Returns whether another transaction may have changed
   * something since this one began, so that earlier reads must be repeated.
   */
  lockOwner(ownerId: string): Promise<boolean>;
  /**
   * A promise of the unit of work: it changes rows of this owner alone, and none on which a caller depends. Without it, it may change
   * anything.
   */
  changesOnly(ownerId: string): void;
  /** Waits for transactions that lock or change rows of the table, and makes later ones wait for this one. */
  lockTable(table: keyof Tables): Promise<void>;
  /** Inserts many rows at once. */
  insertRows(table: Table, rows: readonly Row[]): Promise<void>;
}

export interface Admin {
  exec(sql: string): Promise<void>;
  query(sql: string, values?: readonly (string | number)[]): Promise<Record<string, unknown>[]>;
}

/**
 * Why the store fails. With `outcome_unknown` the connection broke during a commit, and the change may have been made or not;
 * with any other reason it was not made.
 */
export const STORE_FAILURE_REASONS = [
  "unreachable",
  /** It accepts connections, or seems to, and does not respond. */
  "silent",
  "busy",
  "too_few_connections",
  "full",
  "read_only",
  /** The database server is a standby. */
  "standby",
  /** The database server refuses the user, the password, the database or options of the session. */
  "login_refused",
  /** The server's certificate or this process's own is refused, or a file of certificates can't be used. */
  "tls_refused",
  /** The search path of the role names no schema that exists. */
  "no_schema",
  /** A pooler gives each transaction another session, without what was prepared. */
  "transaction_pooling",
  /** The role that this process connects as lacks a privilege. */
  "denied",
  "failing",
  "damaged",
  /** Another version of Reeve has changed its schema. */
  "other_schema",
  "writer_lost",
  "outcome_unknown",
] as const;
export type StoreFailureReason = (typeof STORE_FAILURE_REASONS)[number];

/** The store can't be used; the message says what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly reason: StoreFailureReason;

  constructor(
    message: string,
    { reason = "unreachable", ...options }: ErrorOptions & { reason?: StoreFailureReason } = {},
  ) {
    super(message, options);
    this.reason = reason;
  }
}

const MAX_ATTEMPTS = 5;

/** Runs `attempt` again after retryable errors, at most five times in all, of which `made` were made before. */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  isRetryable: (error: unknown) => boolean,
  onRetry?: () => void,
  made = 0,
): Promise<T> {
  for (let tries = made + 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= MAX_ATTEMPTS || !isRetryable(error)) throw error;
      onRetry?.();
    }
  }
}
