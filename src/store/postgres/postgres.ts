// The scaled store: PostgreSQL through `pg`, named prepared statements, read committed plus the owner's row lock where a
// rule spans rows.
import type { SqlParams, Statement } from "../../kernel/tx.ts";
import { LostRaceError, StoreError, withRetry } from "../database.ts";
import type { Database, SnapshotTx, WorkTiming, WriteTx } from "../database.ts";
import { createStoreMeter } from "../meter.ts";
import type { StoreMeter } from "../meter.ts";
import { copyRows } from "./copy.ts";
import { parsePostgresUrl } from "./hosts.ts";
import { isPlanOutdated } from "./connection.ts";
import type { Connection, Query } from "./connection.ts";
import { PIPELINES, PIPELINE_DEPTH } from "./pipelines.ts";
import { POOL_SIZE } from "./driver.ts";
import { openConnections } from "./pool.ts";
import { selectRows, sizeOf } from "../tables/table.ts";
import type { Row, Table } from "../tables/table.ts";
import type { Tables } from "../tables/tables.ts";

/** Of reading whole tables. */
const OLDEST_VERSION = 15;
const FIRST_ROWS = 50;
const MAX_ROWS = 1_000;
const BATCH_BYTES = 1024 * 1024;

/** Where statements are run. */
type Session = Pick<Connection, "query" | "queryPatiently" | "submit">;

class PostgresTx implements WriteTx, SnapshotTx {
  readonly engine = "postgres";
  readonly #connection: Session;

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

  async lockTable(table: keyof Tables): Promise<void> {
    await this.exec(`lock table ${table} in exclusive mode`);
  }

  async exec(sql: string): Promise<void> {
    // The server's own limits hold; a migration lifts them.
    await this.#connection.queryPatiently({ text: sql });
  }

  async query(sql: string, values: readonly (string | number)[] = []): Promise<Record<string, unknown>[]> {
    return (await this.#connection.query({ text: sql, values: [...values] })).rows as Record<string, unknown>[];
  }

  async *readRows(table: Table): AsyncGenerator<readonly Row[]> {
    await this.exec(`declare all_rows no scroll cursor for ${selectRows(table)}`);
    // Rows may be large: how many are asked for follows from what the last ones took.
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
 * Lost races that a second run of the whole transaction settles: serialization failure, deadlock, a unique value that
 * another transaction took first, and a row to refer to that it deleted (the second run sees that and refuses by name).
 */
const RETRYABLE_SQLSTATES = new Set(["40001", "40P01", "23505", "23503"]);

function isRetryable(error: unknown): boolean {
  if (error instanceof LostRaceError || isPlanOutdated(error)) return true;
  return RETRYABLE_SQLSTATES.has((error as { code?: string }).code ?? "");
}

/**
 * Whoever reads it goes through whole tables, and may have to wait for a file or a pipe between two statements. The lock comes
 * before the first look: whoever replaces the store has it (`lockSchema`), and tables that are made later are empty in a snapshot.
 */
const BEGIN_SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  LOCK TABLE schema_migrations IN ACCESS SHARE MODE`;

/** Moments of a transaction, of `performance.now()`. */
interface Course {
  readonly begunAt: number;
  readonly doneAt: number;
  readonly committedAt: number;
}

async function commitWork<T>(
  connection: Connection,
  work: (tx: WriteTx) => Promise<T>,
  onCommit: (course: Course) => void,
): Promise<T> {
  const begunAt = performance.now();
  let result: T;
  try {
    await connection.query({ text: "BEGIN" });
    result = await work(new PostgresTx(connection));
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
  const told = `${Math.floor(version / 10_000)}.${version % 10_000}`;
  throw new StoreError(`this PostgreSQL is ${told}, and Reeve needs ${OLDEST_VERSION} or newer: upgrade the server`);
}

/** Opens PostgreSQL at a URL with one or more hosts; throws a StoreError when none can be used. */
export async function openPostgres(url: string, meter: StoreMeter = createStoreMeter()): Promise<Database> {
  const listeners: ((error: Error) => void)[] = [];
  const connections = openConnections(parsePostgresUrl(url), {
    onShortage: (error) => {
      for (const hear of listeners) hear(error);
    },
  });

  function noteWait<C, T>(work: (connection: C) => Promise<T>): (connection: C) => Promise<T> {
    const askedAt = performance.now();
    return (connection) => {
      meter.waits.observe((performance.now() - askedAt) / 1_000);
      return work(connection);
    };
  }

  const use = <T>(work: (connection: Connection) => Promise<T>) => connections.use(noteWait(work));

  async function write<T>(work: (tx: WriteTx) => Promise<T>, observe?: (timing: WorkTiming) => void): Promise<T> {
    const askedAt = performance.now();
    const onCommit = ({ begunAt, doneAt, committedAt }: Course) => {
      meter.transactions.observe((committedAt - begunAt) / 1_000);
      meter.commits.observe((committedAt - doneAt) / 1_000);
      observe?.({ waitMs: begunAt - askedAt, runMs: doneAt - begunAt, commitMs: committedAt - doneAt });
    };
    const attempt = () => use((connection) => commitWork(connection, work, onCommit));
    return await withRetry(attempt, isRetryable, meter.noteRetry);
  }

  /** A statement that was prepared for another schema has done nothing. */
  const prepareAgain = <T>(attempt: () => Promise<T>) => withRetry(attempt, isPlanOutdated);

  async function timeRead<T>(reading: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const answer = await reading;
    meter.reads.observe((performance.now() - startedAt) / 1_000);
    return answer;
  }

  try {
    const { rows } = await connections.use((connection) =>
      connection.query({ text: "select current_setting('server_version_num') as version" }),
    );
    refuseOldServer(Number((rows[0] as { version: string }).version));
  } catch (error) {
    await connections.close();
    throw error;
  }
  /** A connection for each statement: it may take long, or answer much. */
  const alone: Session = {
    query: (query) => prepareAgain(() => use((connection) => timeRead(connection.query(query)))),
    queryPatiently: (query) => use((connection) => timeRead(connection.queryPatiently(query))),
    submit: (begin) => use((connection) => connection.submit(begin)),
  };
  const scanner = new PostgresTx(alone);
  return {
    engine: "postgres",
    concurrency: { reads: PIPELINES * PIPELINE_DEPTH, writes: POOL_SIZE },
    reader: new PostgresTx({
      ...alone,
      query: (query) =>
        prepareAgain(() => connections.share(noteWait((connection) => timeRead(connection.query(query))))),
    }),
    scanner,
    transaction: write,
    snapshot: (work) => use((connection) => readSnapshot(connection, work)),
    admin: scanner,
    copyTo: null,
    connections: () => connections.count(),
    onTooFewConnections: (hear) => void listeners.push(hear),
    close: () => connections.close(),
  };
}
