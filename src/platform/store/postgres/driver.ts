// The driver's pools for one host of PostgreSQL, and the limits of their sessions.
import { callbackify } from "node:util";
import pg from "pg";
import type { Pool, PoolClient, PoolConfig, QueryResult } from "pg";
import { SECOND_MS } from "../../kernel/scheduling/clock.ts";
import { StoreError } from "../database.ts";
import { isTimeout } from "./connection.ts";
import { PIPELINES, PIPELINE_DEPTH } from "./pipelines.ts";
import { WRITE_REFUSAL, refuseToWrite } from "./roles.ts";
import type { WriteRefusal } from "./roles.ts";

// Measured: a pool of 16 beat 64 (fewer backends to switch between).
export const POOL_SIZE = 16;
/** What a process takes at most: for changes, for reads that share, and one that asks what has changed. */
export const MAX_CONNECTIONS = POOL_SIZE + PIPELINES + 1;
/** Per host: two hosts that swallow packets leave time for a third. */
const CONNECT_TIMEOUT_MS = 3_000;
/** For a connection that tells why the first statement of another one got no response. */
const ASK_AGAIN_MS = 500;
const PREPARE_TIMEOUT_MS = CONNECT_TIMEOUT_MS - ASK_AGAIN_MS;
const STATEMENT_TIMEOUT_MS = 10_000;
const LOCK_TIMEOUT_MS = 5_000;
/** A transaction waits only for the database, so an idle transaction belongs to a process that hangs. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/**
 * Longer than the server's limit for statements: a server that is silent for so long is gone without having closed the
 * connection.
 */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 2_000;
/** Idle time after which the system probes the connection; it probes once a second and gives up after ten. */
const KEEP_ALIVE_MS = 5_000;

/**
 * A command that replaces the store recognises by this name, and by that of older versions, that the store is in use. Transactions
 * under this name record what they change: for those under any other, triggers do (migration 19).
 */
const APPLICATION_NAME = "reeve-2";

const INT8_OID = 20;
/** All stored integers fit a double: times are ms, positions µs. */
export const types: NonNullable<PoolConfig["types"]> = {
  getTypeParser: ((oid: number, format: "text" | "binary") =>
    oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format)) as never,
};

/**
 * Every statement finds its rows by an index, which test/store/explain.test.ts proves on such a session. Without them the
 * server plans by the sizes that tables happen to have, and keeps the plan: a burst of events into an empty table would be
 * read from its beginning for each delivery, until the table is analysed. Where it may sort, it reads a whole range of another index for a
 * page. Not among the parameters of the start, which poolers refuse.
 */
const PLANNING = `
  set enable_seqscan = off;
  set enable_hashjoin = off;
  set enable_mergejoin = off;
  set enable_sort = off;
  set plan_cache_mode = force_generic_plan;
  -- Otherwise a statement that has to read a whole table looks expensive enough to be compiled.
  set jit = off;
`;

/** What another connection is told, at once; null where it is told nothing. */
async function askOnceMore(connectionString: string): Promise<unknown> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: ASK_AGAIN_MS });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query({ text: "select", query_timeout: ASK_AGAIN_MS } as pg.QueryConfig);
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error;
  } finally {
    void client.end().catch(() => undefined);
  }
  return null;
}

/**
 * A pooler whose pool is in use accepts the login, and the first statements wait for a session. So do they at first where no server is
 * behind it; later connections are told.
 */
async function explainPreparing(error: unknown, url: string): Promise<unknown> {
  if (!isTimeout(error)) return error;
  const told = await askOnceMore(url);
  if (told !== null) return told;
  const message = `took the login and gave no session within ${CONNECT_TIMEOUT_MS / SECOND_MS} s, as a pooler does whose pool has less than ${MAX_CONNECTIONS} sessions for each process`;
  return new StoreError(message, { cause: error, reason: "too_few_connections" });
}

/** Prepares the session of a new connection, before its first statement. */
async function prepareSession(client: PoolClient, url: string, mustBeWritable: boolean): Promise<void> {
  const query = { text: `${PLANNING}; select ${WRITE_REFUSAL} as refusal`, query_timeout: PREPARE_TIMEOUT_MS };
  const done = client.query(query).catch(async (error: unknown) => {
    throw await explainPreparing(error, url);
  });
  // Of several statements there are several results.
  const results = (await done) as unknown as readonly QueryResult<{ refusal: WriteRefusal | null }>[];
  const refusal = results.at(-1)?.rows[0]?.refusal ?? null;
  if (mustBeWritable && refusal !== null) throw refuseToWrite(refusal);
}

export interface DriverOptions {
  readonly max: number;
  /** Idle connections that stay open: others could take their slots on a server with few, and a refused login opens no new ones. */
  readonly min?: number;
  /** The time-out of each statement in ms; without one, the caller enforces it. */
  readonly query_timeout?: number;
  /** Sends statements without waiting for the responses to earlier ones. */
  readonly pipeline?: boolean;
  readonly mustBeWritable?: boolean;
  /** Called when a connection was opened, and its session can be used: a pooler takes a login before it has one. */
  onOpen?(): void;
}

export function createPool(
  url: string,
  { mustBeWritable = false, onOpen = () => undefined, ...more }: DriverOptions,
): Pool {
  const options = {
    // Appended last, because the last of two values wins.
    connectionString: `${url}${url.includes("?") ? "&" : "?"}application_name=${APPLICATION_NAME}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types,
    verify: callbackify((client: PoolClient) => prepareSession(client, url, mustBeWritable).then(onOpen)),
    ...more,
  };
  const pool = new pg.Pool(options);
  // The pool replaces a connection that breaks while idle, and one that breaks in use fails its statements; without listeners
  // the process would end.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
  });
  return pool;
}

/** How a connection is used: by one user at a time, or shared by many that send one statement each. */
export type Use = "exclusive" | "shared";

/** The pools of one host. */
export type Host = Readonly<Record<Use, Pool>>;

/** Removed for shared connections: the driver would count from sending, and so include the time of earlier statements. */
const QUERY_TIMEOUT = /([?&])query_timeout=(\d+)&?/;

export function silenceOf(url: string): number {
  return Number(QUERY_TIMEOUT.exec(url)?.[2] ?? SILENCE_MS);
}

/**
 * The maximum number of shared connections: a retired one stays open, beside those in use, until its last statement has ended.
 */
const MAX_SHARED = (PIPELINES + 1) * (PIPELINE_DEPTH + 1);

/** `onOpen` is called for exclusive connections. */
export function openHost(url: string, mustBeWritable: boolean, onOpen: () => void): Host {
  return {
    exclusive: createPool(url, { mustBeWritable, max: POOL_SIZE, min: 1, query_timeout: SILENCE_MS, onOpen }),
    shared: createPool(url.replace(QUERY_TIMEOUT, "$1"), { mustBeWritable, max: MAX_SHARED, pipeline: true }),
  };
}
