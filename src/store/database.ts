// What the rest of Reeve knows of a database: reads and transactions.
import type { Engine, Tx } from "../kernel/tx.ts";
import type { Row, Table } from "./tables/table.ts";
import type { Tables } from "./tables/tables.ts";

/** An open database. */
export interface Database {
  readonly engine: Engine;
  /** The most units of work at a time. */
  readonly concurrency: { readonly reads: number; readonly writes: number };
  /** Runs each statement on its own, on the reading side. */
  readonly reader: Tx;
  /** As `reader`, for statements that answer much: none of the others waits for them. */
  readonly scanner: Tx;
  /**
   * Runs `work` in one transaction, again when the engine asks for a retry; it must have no effect outside. `observe` is
   * told how long the last run took.
   */
  transaction<T>(work: (tx: WriteTx) => Promise<T>, observe?: (timing: WorkTiming) => void): Promise<T>;
  /** Runs reads that all see the one state of the database that was when they began, beside those who write. */
  snapshot<T>(work: (tx: SnapshotTx) => Promise<T>): Promise<T>;
  /** Runs SQL text that is not prepared, outside a transaction: copies and diagnosis only. */
  readonly admin: Admin;
  /** Null where the database is no file. */
  readonly copyTo: CopyDatabase | null;
  /** Of an engine with connections; null for one without. */
  connections(): Connections | null;
  /** Hears each time that somebody gets no connection because the server has room for no more. */
  onTooFewConnections(hear: (error: Error) => void): void;
  close(): Promise<void>;
}

/** How long one unit of work that wrote took, in ms. */
export interface WorkTiming {
  /** Until its transaction began. */
  readonly waitMs: number;
  /** Of its own part of the transaction. */
  readonly runMs: number;
  /** From the end of that to the end of the commit. */
  readonly commitMs: number;
}

/** The connections of a pool, at a moment. */
export interface Connections {
  readonly total: number;
  readonly idle: number;
  /** Transactions and reads that wait for one. */
  readonly waiting: number;
  /** The server has refused one for want of room, within the last minute. */
  readonly areTooFew: boolean;
}

/** Copies a database as it is now into a file that is new or empty, beside those who write; then that is on disk. */
export type CopyDatabase = (file: string, onProgress: (done: number, total: number) => void) => Promise<void>;

/** A transaction that sees one state of the database, and can go through whole tables of it. */
export interface SnapshotTx extends Tx, Pick<Admin, "query"> {
  /** The rows of a table by primary key, some at a time. */
  readRows(table: Table): AsyncIterable<readonly Row[]>;
}

/** A transaction that can also take locks, and run SQL text for migrations. */
export interface WriteTx extends Tx, Admin {
  /**
   * Serialises mutations of one owner until the transaction ends. Answers whether another transaction may have
   * changed something since this one began, so that what was read before must be read again.
   */
  lockOwner(ownerId: string): Promise<boolean>;
  /** Waits for the transactions that lock or change rows of the table, and lets those that come later wait for this one. */
  lockTable(table: keyof Tables): Promise<void>;
  /** Adds rows, many at once. */
  insertRows(table: Table, rows: readonly Row[]): Promise<void>;
}

export interface Admin {
  exec(sql: string): Promise<void>;
  query(sql: string, values?: readonly (string | number)[]): Promise<Record<string, unknown>[]>;
}

/**
 * What keeps a store from answering, in one word. With `outcome_unknown` it broke off during a commit, and nobody knows
 * whether the change was made; with any other it was not.
 */
export const STORE_FAILURE_REASONS = [
  "unreachable",
  /** It can be reached, or seems so, and does not answer. */
  "silent",
  "busy",
  "too_few_connections",
  "full",
  "read_only",
  /** The role that this process connects as lacks a privilege. */
  "denied",
  "failing",
  "damaged",
  /** Another Reeve has changed its tables. */
  "other_schema",
  "writer_lost",
  "outcome_unknown",
] as const;
export type StoreFailureReason = (typeof STORE_FAILURE_REASONS)[number];

/** The store can't be used as it is; the message says what to do. */
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

/** Another transaction changed what this one had found before it had the lock: it must begin anew. */
export class LostRaceError extends Error {
  override readonly name = "LostRaceError";
}

const MAX_ATTEMPTS = 5;

/** Runs `attempt` again while `isRetryable` says so, at most five times in all. */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  isRetryable: (error: unknown) => boolean,
  onRetry?: () => void,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= MAX_ATTEMPTS || !isRetryable(error)) throw error;
      onRetry?.();
    }
  }
}
