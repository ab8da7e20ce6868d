// Connections to PostgreSQL: a bounded number, to the first host that can be used. What breaks or falls silent is given up,
// so that the next one to ask finds the host that serves by then.
import { callbackify } from "node:util";
import pg from "pg";
import type { Pool, PoolClient, PoolConfig } from "pg";
import { StoreError } from "./database.ts";
import type { Connections } from "./database.ts";
import { storeTrouble } from "./failure.ts";
import { PooledConnection, messageOf } from "./postgres-connection.ts";
import type { Connection } from "./postgres-connection.ts";
import type { PostgresTarget } from "./postgres-hosts.ts";
import { PIPELINES, PIPELINE_DEPTH, openPipelines } from "./postgres-pipelines.ts";
import { createSemaphore } from "./semaphore.ts";

// Measured: a pool of 16 beat 64 (fewer backends to switch between).
export const POOL_SIZE = 16;
/** Of those who wait for a connection. A line that is longer would be gone through later than anybody waits. */
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 3_000;
/** Of one host, so that two that swallow packets leave time for a third. */
const CONNECT_TIMEOUT_MS = 3_000;
/** While no host can be used, so often one is looked for, however many ask. */
const RETRY_MS = 250;
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

/** A connection, for as long as somebody holds it. */
export interface Lease {
  readonly connection: PooledConnection;
  /** It can be used, and a new one would be to the same host. */
  isCurrent(): boolean;
  /** Hears when the connection ends or breaks by itself, while it is idle too. */
  onEnd(hear: () => void): void;
  release(): void;
}

export interface ConnectionPool {
  /** Runs `work` with a connection of its own as soon as there is one; throws a StoreError when there is none in time. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Runs `work`, which reads with one statement, on a connection that others use at the same time; throws as `use` does. */
  share<T>(work: (connection: Pick<Connection, "query">) => Promise<T>): Promise<T>;
  /** Of those that are used by one at a time. */
  count(): Connections;
  /** Resolves when all connections are given back and closed. */
  close(): Promise<void>;
}

async function refuseReadOnly(client: PoolClient): Promise<void> {
  const query = { text: "show transaction_read_only", query_timeout: CONNECT_TIMEOUT_MS };
  const { rows } = await client.query<{ transaction_read_only: string }>(query);
  if (rows[0]?.transaction_read_only !== "off") {
    throw new StoreError("this PostgreSQL server accepts no writes", { trouble: "read_only" });
  }
}

interface PoolOptions {
  readonly max: number;
  /** Of each statement, ms; none: whoever sends them sees to it. */
  readonly query_timeout?: number;
  /** Sends statements before those in front of them are answered. */
  readonly pipeline?: boolean;
  readonly verify?: (client: PoolClient, done: (error: Error | null) => void) => void;
}

function createPool(url: string, more: PoolOptions): Pool {
  const options: Omit<PoolConfig, "verify"> & PoolOptions = {
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
type Use = "alone" | "together";

/** The pools of one host. */
type Host = Readonly<Record<Use, Pool>>;

/** The driver would count from when a statement is sent, and those in front of it take their time too. */
const QUERY_TIMEOUT = /([?&])query_timeout=(\d+)&?/;

function silenceOf(url: string): number {
  return Number(QUERY_TIMEOUT.exec(url)?.[2] ?? SILENCE_MS);
}

/** As many as there may be: one that is given up is held until the last of its statements has ended, beside those that serve. */
const MAX_SHARED = PIPELINES * (PIPELINE_DEPTH + 1);

function openHost(url: string, mustBeWritable: boolean): Host {
  const verify = mustBeWritable ? { verify: callbackify(refuseReadOnly) } : {};
  return {
    alone: createPool(url, { ...verify, max: POOL_SIZE, query_timeout: SILENCE_MS }),
    together: createPool(url.replace(QUERY_TIMEOUT, "$1"), { ...verify, max: MAX_SHARED, pipeline: true }),
  };
}

const refuseBusy = () =>
  new StoreError("all connections to PostgreSQL are in use, and nobody gave one back in time", {
    trouble: "busy",
  });

const createLine = (places: number) =>
  createSemaphore({ places, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS, refuse: refuseBusy });

export function openConnections({ urls, mustBeWritable }: PostgresTarget): ConnectionPool {
  const open = (url: string) => openHost(url, mustBeWritable);
  const hosts = urls.map(open);
  /** The host that was used last. */
  let current = 0;
  /** Of one use alone: a server may have no room for one more connection, and serve those that it has. */
  const outages: Partial<Record<Use, { readonly error: StoreError; readonly endsAt: number }>> = {};

  /** What else is connected to a host that has fallen silent would be waited for in vain too. */
  function replaceHost(silent: Host): void {
    const at = hosts.indexOf(silent);
    if (at < 0) return;
    hosts[at] = open(urls[at] as string);
    for (const pool of Object.values(silent)) void pool.end();
  }

  function leaseOf(client: PoolClient, host: Host): Lease {
    const connection = new PooledConnection(client);
    return {
      connection,
      isCurrent: () => connection.isUsable && hosts[current] === host,
      // An idle one that breaks can't be used any more some milliseconds before it ends.
      onEnd: (hear) => void client.once("error", hear).once("end", hear),
      release() {
        client.release(!connection.isUsable);
        if (connection.isSilent) replaceHost(host);
      },
    };
  }

  /** A connection to a host that can be used, each host tried once, the one that was used last first. */
  async function lease(use: Use): Promise<Lease> {
    const outage = outages[use];
    if (outage && performance.now() < outage.endsAt) throw outage.error;
    const first = current;
    let failure: unknown;
    for (let step = 0; step < hosts.length; step++) {
      const at = (first + step) % hosts.length;
      const host = hosts[at] as Host;
      try {
        const client = await host[use].connect();
        current = at;
        delete outages[use];
        return leaseOf(client, host);
      } catch (error) {
        failure = error;
      }
    }
    const trouble = storeTrouble(failure) ?? "unreachable";
    const error = new StoreError(`cannot reach PostgreSQL: ${messageOf(failure)}`, { cause: failure, trouble });
    outages[use] = { error, endsAt: performance.now() + RETRY_MS };
    throw error;
  }

  const line = createLine(POOL_SIZE);
  const lineOfStatements = createLine(PIPELINES * PIPELINE_DEPTH);
  const pipelines = openPipelines({ open: () => lease("together"), silenceMs: silenceOf(urls[0] as string) });
  return {
    use: (work) =>
      line.run(async () => {
        const { connection, release } = await lease("alone");
        try {
          return await work(connection);
        } finally {
          release();
        }
      }),
    share: (work) => lineOfStatements.run(() => pipelines.share(work)),
    count() {
      const sum = (count: (pool: Pool) => number) => hosts.reduce((all, { alone }) => all + count(alone), 0);
      return {
        total: sum(({ totalCount }) => totalCount),
        idle: sum(({ idleCount }) => idleCount),
        waiting: line.waiting,
      };
    },
    async close() {
      pipelines.close();
      await Promise.all(hosts.flatMap((host) => Object.values(host)).map((pool) => pool.end()));
    },
  };
}
