// The driver's pools of one host of PostgreSQL, with the limits that each of their sessions has.
import { callbackify } from "node:util";
import pg from "pg";
import type { Pool, PoolClient, PoolConfig } from "pg";
import { StoreError } from "../database.ts";
import { PIPELINES, PIPELINE_DEPTH } from "./pipelines.ts";

// Measured: a pool of 16 beat 64 (fewer backends to switch between).
export const POOL_SIZE = 16;
/** Of one host, so that two that swallow packets leave time for a third. */
const CONNECT_TIMEOUT_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const LOCK_TIMEOUT_MS = 5_000;
/** A transaction never waits for anything but the database: one that does belongs to a process that hangs. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Longer than the server lets any statement take: it is gone, without a word. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 2_000;
/** Of an idle connection; the system then asks once a second and gives up after ten. */
const KEEP_ALIVE_MS = 5_000;

const INT8_OID = 20;
/** Every integer of ours fits a double: times are ms, positions µs. */
const types: NonNullable<PoolConfig["types"]> = {
  getTypeParser: ((oid: number, format: "text" | "binary") =>
    oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format)) as never,
};

async function refuseReadOnly(client: PoolClient): Promise<void> {
  const query = { text: "show transaction_read_only", query_timeout: CONNECT_TIMEOUT_MS };
  const { rows } = await client.query<{ transaction_read_only: string }>(query);
  if (rows[0]?.transaction_read_only !== "off") {
    throw new StoreError("this PostgreSQL server accepts no writes", { reason: "read_only" });
  }
}

export interface DriverOptions {
  readonly max: number;
  /** Of those that are idle so many stay open: where there is little room, somebody else would take it. */
  readonly min?: number;
  /** Of each statement, ms; none: whoever sends them sees to it. */
  readonly query_timeout?: number;
  /** Sends statements before those in front of them are answered. */
  readonly pipeline?: boolean;
  readonly verify?: (client: PoolClient, done: (error: Error | null) => void) => void;
}

export function createPool(url: string, more: DriverOptions): Pool {
  const options: Omit<PoolConfig, "verify"> & DriverOptions = {
    // Of two the last one counts: whoever replaces the store tells by this name that it is used.
    connectionString: `${url}${url.includes("?") ? "&" : "?"}application_name=reeve`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types,
    ...more,
  };
  const pool = new pg.Pool(options as PoolConfig);
  // A connection that breaks while idle is replaced by the pool, and one that breaks in use fails what uses it; without
  // listeners the process would end.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => void client.on("error", () => undefined));
  return pool;
}

/** How a connection is used: by one at a time, or by many who send one statement each. */
export type Use = "alone" | "together";

/** The pools of one host. */
export type Host = Readonly<Record<Use, Pool>>;

/** The driver would count from when a statement is sent, and those in front of it take their time too. */
const QUERY_TIMEOUT = /([?&])query_timeout=(\d+)&?/;

export function silenceOf(url: string): number {
  return Number(QUERY_TIMEOUT.exec(url)?.[2] ?? SILENCE_MS);
}

/** As many as there may be: one that is given up is held until the last of its statements has ended, beside those that serve. */
const MAX_SHARED = PIPELINES * (PIPELINE_DEPTH + 1);

export function openHost(url: string, mustBeWritable: boolean): Host {
  const verify = mustBeWritable ? { verify: callbackify(refuseReadOnly) } : {};
  return {
    alone: createPool(url, { ...verify, max: POOL_SIZE, min: 1, query_timeout: SILENCE_MS }),
    together: createPool(url.replace(QUERY_TIMEOUT, "$1"), { ...verify, max: MAX_SHARED, pipeline: true }),
  };
}
