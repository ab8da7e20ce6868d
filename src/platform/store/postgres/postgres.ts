// The scaled store: PostgreSQL through `pg`, with named prepared statements; read committed, and the owner's row lock where a rule
// spans rows.
import { StoreError, withRetry } from "../database.ts";
import type { Database, SnapshotTx } from "../database.ts";
import { STORE_ADVICE, naming } from "../failure.ts";
import { createStoreMeter } from "../meter.ts";
import type { StoreMeter } from "../meter.ts";
import { watchVersions } from "./changed-owners.ts";
import { parsePostgresUrl } from "./hosts.ts";
import { findLockHolders } from "./lock-holders.ts";
import { isStatementLost } from "./connection.ts";
import type { Connection, Query } from "./connection.ts";
import { PIPELINES, PIPELINE_DEPTH } from "./pipelines.ts";
import { POOL_SIZE } from "./driver.ts";
import { openConnections } from "./pool.ts";
import type { ConnectionPool } from "./pool.ts";
import { PostgresTx } from "./postgres-tx.ts";
import type { Session } from "./postgres-tx.ts";
import { processIdOf, requirePrepared } from "./sessions.ts";
import { createTimings } from "./timings.ts";
import { createTransactions } from "./transactions.ts";

const OLDEST_VERSION = 15;

/**
 * A snapshot reads whole tables, and may wait for a file or a pipe between two statements. It takes the lock before its first read:
 * a restore holds that lock while it replaces the store (`lockSchema`), and tables made after a snapshot began look empty in it. That
 * may take longer than a request waits for a lock.
 */
const BEGIN_SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0;
  LOCK TABLE schema_migrations IN ACCESS SHARE MODE; SET LOCAL lock_timeout TO DEFAULT`;

async function readSnapshot<T>(connection: Connection, work: (tx: SnapshotTx) => Promise<T>): Promise<T> {
  try {
    await connection.queryPatiently({ text: BEGIN_SNAPSHOT });
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

/** A database of another encoding refuses some texts, and cuts or counts others by bytes. */
function refuseOtherEncoding(encoding: string): void {
  if (encoding === "UTF8") return;
  throw new StoreError(
    `this database has the encoding ${encoding}, and Reeve needs UTF8: create one with \`create database reeve encoding 'UTF8' template template0\``,
  );
}

/** Repeats an attempt whose prepared statement could not be used. */
const prepareAgain = <T>(attempt: () => Promise<T>) => withRetry(attempt, isStatementLost);

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

interface ServerFacts {
  readonly version: string;
  readonly encoding: string;
  /** Null where the search path names none that exists. */
  readonly schema: string | null;
  readonly path: string;
  readonly pid: number;
}

const FACTS = `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
  current_schema() as schema, current_setting('search_path') as path, pg_backend_pid() as pid`;

async function requireSupported(connections: ConnectionPool, url: string): Promise<void> {
  const { facts, ownPid } = await connections.use((connection) =>
    connection.submit(async (client) => ({
      facts: (await client.query<ServerFacts>(FACTS)).rows[0] as ServerFacts,
      ownPid: processIdOf(client),
    })),
  );
  const { version, encoding, schema, path, pid } = facts;
  refuseOldServer(Number(version));
  refuseOtherEncoding(encoding);
  if (schema === null) {
    const message = `no schema of the search_path ${path} exists, or this role may use none: ${STORE_ADVICE.no_schema}`;
    throw new StoreError(message, { reason: "no_schema" });
  }
  // A pooler tells its clients process ids of its own.
  if (pid !== ownPid) await requirePrepared(url);
}

/**
 * Opens PostgreSQL at a URL with one or more hosts; throws a StoreError when none can be used. `readUrl` reads the URL again, where it
 * may have changed since.
 */
export async function openPostgres(
  url: string,
  meter: StoreMeter = createStoreMeter(),
  readUrl: () => string | null = () => null,
): Promise<Database> {
  const listeners: ((error: Error) => void)[] = [];
  const connections = openConnections(parsePostgresUrl(url), {
    onRefusal: (error) => {
      for (const listener of listeners) listener(error);
    },
    readTarget() {
      const read = readUrl();
      return read === null ? null : parsePostgresUrl(read);
    },
    requirePrepared,
  });
  try {
    await requireSupported(connections, url);
    // What prevents it is told where the schema is read next.
    await connections.identify().catch(() => undefined);
  } catch (error) {
    const { host } = connections.count();
    await connections.close();
    if (error instanceof StoreError) error.message = naming(host, error.message);
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
    // On a shared connection: the others may all be waiting.
    describeLockHolders: async () => (await findLockHolders(new PostgresTx(shared), null)).text,
    renew: () => connections.renew(),
    close: () => connections.close(),
  };
}
