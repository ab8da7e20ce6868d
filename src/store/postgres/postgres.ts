// The scaled store: PostgreSQL through `pg`, with named prepared statements; read committed, and the owner's row lock where a rule
// spans rows.
import type { SqlParams, Statement } from "../../kernel/tx.ts";
import { LostRaceError, StoreError, withRetry } from "../database.ts";
import type { Database, SnapshotTx, WriteTx } from "../database.ts";
import { createStoreMeter } from "../meter.ts";
import type { StoreMeter } from "../meter.ts";
import { createChangeRecorder, schedulePruning, watchVersions } from "./changed-owners.ts";
import type { ChangeRecorder } from "./changed-owners.ts";
import { copyRows } from "./copy.ts";
import { parsePostgresUrl } from "./hosts.ts";
import { isPlanOutdated } from "./connection.ts";
import type { Connection, Query } from "./connection.ts";
import { PIPELINES, PIPELINE_DEPTH } from "./pipelines.ts";
import { POOL_SIZE } from "./driver.ts";
import { openConnections } from "./pool.ts";
import type { ConnectionPool } from "./pool.ts";
import { selectRows, sizeOf } from "../tables/table.ts";
import type { Row, Table } from "../tables/table.ts";
import type { Tables } from "../tables/tables.ts";

const OLDEST_VERSION = 15;
/** Rows of the first fetch when whole tables are read, and of any. */
const FIRST_ROWS = 50;
const MAX_ROWS = 1_000;
const BATCH_BYTES = 1024 * 1024;

/** Runs statements. */
type Session = Pick<Connection, "query" | "queryPatiently" | "submit">;

class PostgresTx implements WriteTx, SnapshotTx {
  readonly engine = "postgres";
  readonly #connection: Session;
  #onlyChanged: string | null = null;

  constructor(connection: Session) {
    this.#connection = connection;
  }

  #query(statement: Statement, params: SqlParams) {
    const { sql, bind } = statement.compiled("postgres");
    const values = bind.map((binding) => {
      const value = "param" in binding ? params[binding.param] : binding.value;
      if (value === undefined) throw new TypeError(`${statement.name}: a parameter is missing`);
      return value;
    });
    return this.#connection.query({ name: `s${statement.index}`, text: sql, values });
  }

  async one(statement: Statement, params: SqlParams): Promise<unknown> {
    return (await this.#query(statement, params)).rows[0];
  }

  async many(statement: Statement, params: SqlParams): Promise<unknown[]> {
    return (await this.#query(statement, params)).rows;
  }

  async run(statement: Statement, params: SqlParams): Promise<number> {
    return (await this.#query(statement, params)).rowCount ?? 0;
  }

  async lockOwner(ownerId: string): Promise<boolean> {
    await this.#connection.query({
      name: "lock-owner",
      text: "select 1 from owners where id = $1 for update",
      values: [ownerId],
    });
    return true;
  }

  changesOnly(ownerId: string): void {
    this.#onlyChanged = ownerId;
  }

  /** The owners whose rows the transaction has changed; null: it may have changed anything. */
  changedOwners(): ReadonlySet<string> | null {
    return this.#onlyChanged === null ? null : new Set([this.#onlyChanged]);
  }

  async lockTable(table: keyof Tables): Promise<void> {
    await this.exec(`lock table ${table} in exclusive mode`);
  }

  async exec(sql: string): Promise<void> {
    // Only the server's limits apply, and a migration removes them.
    await this.#connection.queryPatiently({ text: sql });
  }

  async query(sql: string, values: readonly (string | number)[] = []): Promise<Record<string, unknown>[]> {
    return (await this.#connection.query({ text: sql, values: [...values] })).rows as Record<string, unknown>[];
  }

  async *readRows(table: Table): AsyncGenerator<readonly Row[]> {
    await this.exec(`declare all_rows no scroll cursor for ${selectRows(table)}`);
    // Rows may be large: the size of the last batch decides how many are fetched next.
    for (let count = FIRST_ROWS; ;) {
      const { rows } = await this.#connection.query({ text: `fetch ${count} from all_rows`, rowMode: "array" });
      const batch = rows as readonly Row[];
      if (batch.length === 0) break;
      yield batch;
      const size = batch.reduce((sum, row) => sum + sizeOf(row), 0) / batch.length;
      count = Math.max(1, Math.min(MAX_ROWS, 2 * count, Math.floor(BATCH_BYTES / size)));
    }
    await this.exec("close all_rows");
  }

  async insertRows(table: Table, rows: readonly Row[]): Promise<void> {
    await copyRows(this.#connection, table, rows);
  }
}

/**
 * Lost races, after which the whole transaction runs again: serialization failure, deadlock, a unique value that another
 * transaction took first, and a referenced row that it deleted (the second run sees that, and refuses with a proper error).
 */
const RETRYABLE_SQLSTATES = new Set(["40001", "40P01", "23505", "23503"]);

function isRetryable(error: unknown): boolean {
  if (error instanceof LostRaceError || isPlanOutdated(error)) return true;
  return RETRYABLE_SQLSTATES.has((error as { code?: string }).code ?? "");
}

/**
 * A snapshot reads whole tables, and may wait for a file or a pipe between two statements. It takes the lock before its first read:
 * a restore holds that lock while it replaces the store (`lockSchema`), and tables made after a snapshot began look empty in it.
 */
const BEGIN_SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  LOCK TABLE schema_migrations IN ACCESS SHARE MODE`;

/** Timestamps of a transaction, of `performance.now()`. */
interface TransactionTimes {
  readonly begunAt: number;
  readonly doneAt: number;
  readonly committedAt: number;
}

async function commitWork<T>(
  connection: Connection,
  work: (tx: WriteTx) => Promise<T>,
  changes: ChangeRecorder,
  onCommit: (times: TransactionTimes) => void,
): Promise<T> {
  const begunAt = performance.now();
  let result: T;
  try {
    await connection.query({ text: "BEGIN" });
    const tx = new PostgresTx(connection);
    result = await work(tx);
    await changes.record(connection, tx.changedOwners());
  } catch (error) {
    await connection.rollback();
    throw error;
  }
  const doneAt = performance.now();
  await connection.commit();
  onCommit({ begunAt, doneAt, committedAt: performance.now() });
  return result;
}

async function readSnapshot<T>(connection: Connection, work: (tx: SnapshotTx) => Promise<T>): Promise<T> {
  try {
    await connection.query({ text: BEGIN_SNAPSHOT });
    const query = (asked: Query) => connection.queryPatiently(asked);
    return await work(new PostgresTx({ query, queryPatiently: query, submit: (begin) => connection.submit(begin) }));
  } finally {
    await connection.rollback();
  }
}

/** `version` as PostgreSQL counts: 150004 is 15.4. */
export function refuseOldServer(version: number): void {
  if (version >= OLDEST_VERSION * 10_000) return;
  const shownVersion = `${Math.floor(version / 10_000)}.${version % 10_000}`;
  throw new StoreError(
    `this PostgreSQL is ${shownVersion}, and Reeve needs ${OLDEST_VERSION} or newer: upgrade the server`,
  );
}

/** Measures what the sessions below do. */
function createTimings(meter: StoreMeter) {
  return {
    /** Times the wait for a connection. */
    wait<C, T>(work: (connection: C) => Promise<T>): (connection: C) => Promise<T> {
      const askedAt = performance.now();
      return (connection) => {
        meter.waits.observe((performance.now() - askedAt) / 1_000);
        return work(connection);
      };
    },
    async read<T>(reading: Promise<T>): Promise<T> {
      const startedAt = performance.now();
      const result = await reading;
      meter.reads.observe((performance.now() - startedAt) / 1_000);
      return result;
    },
    commit({ begunAt, doneAt, committedAt }: TransactionTimes): void {
      meter.transactions.observe((committedAt - begunAt) / 1_000);
      meter.commits.observe((committedAt - doneAt) / 1_000);
    },
  };
}

/** Repeats an attempt whose statement was prepared for another schema: the failed statement had no effect. */
const prepareAgain = <T>(attempt: () => Promise<T>) => withRetry(attempt, isPlanOutdated);

/** A session per kind of read: statements on a connection each, for long or large reads, and statements on shared ones. */
function createReadSessions(connections: ConnectionPool, meter: StoreMeter) {
  const timings = createTimings(meter);
  const use = <T>(work: (connection: Connection) => Promise<T>) => connections.use(timings.wait(work));
  const exclusive: Session = {
    query: (query) => prepareAgain(() => use((connection) => timings.read(connection.query(query)))),
    queryPatiently: (query) => use((connection) => timings.read(connection.queryPatiently(query))),
    submit: (begin) => use((connection) => connection.submit(begin)),
  };
  const shared: Session = {
    ...exclusive,
    query: (query) =>
      prepareAgain(() => connections.share(timings.wait((connection) => timings.read(connection.query(query))))),
  };
  return { exclusive, shared };
}

/** Runs transactions that write, again after a lost race. */
function createTransactions(connections: ConnectionPool, meter: StoreMeter): Database["transaction"] {
  const timings = createTimings(meter);
  const changes = createChangeRecorder();
  const prune = schedulePruning(connections.use);
  return async (work, observe) => {
    const askedAt = performance.now();
    const onCommit = (times: TransactionTimes) => {
      timings.commit(times);
      prune();
      const { begunAt, doneAt, committedAt } = times;
      observe?.({ waitMs: begunAt - askedAt, runMs: doneAt - begunAt, commitMs: committedAt - doneAt });
    };
    const attempt = () =>
      connections.use(timings.wait((connection) => commitWork(connection, work, changes, onCommit)));
    return await withRetry(attempt, isRetryable, meter.noteRetry);
  };
}

async function requireSupported(connections: ConnectionPool): Promise<void> {
  const { rows } = await connections.use((connection) =>
    connection.query({ text: "select current_setting('server_version_num') as version" }),
  );
  refuseOldServer(Number((rows[0] as { version: string }).version));
}

/** Opens PostgreSQL at a URL with one or more hosts; throws a StoreError when none can be used. */
export async function openPostgres(url: string, meter: StoreMeter = createStoreMeter()): Promise<Database> {
  const listeners: ((error: Error) => void)[] = [];
  const connections = openConnections(parsePostgresUrl(url), {
    onShortage: (error) => {
      for (const listener of listeners) listener(error);
    },
  });
  try {
    await requireSupported(connections);
  } catch (error) {
    await connections.close();
    throw error;
  }
  const { exclusive, shared } = createReadSessions(connections, meter);
  const timings = createTimings(meter);
  const scanner = new PostgresTx(exclusive);
  return {
    engine: "postgres",
    concurrency: { reads: PIPELINES * PIPELINE_DEPTH, writes: POOL_SIZE },
    reader: new PostgresTx(shared),
    scanner,
    versions: watchVersions((work) => prepareAgain(() => connections.watch(work))),
    transaction: createTransactions(connections, meter),
    snapshot: (work) => connections.use(timings.wait((connection) => readSnapshot(connection, work))),
    admin: scanner,
    copyTo: null,
    connections: () => connections.count(),
    onTooFewConnections: (listener) => void listeners.push(listener),
    close: () => connections.close(),
  };
}
