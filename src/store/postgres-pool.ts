// Connections to PostgreSQL: a bounded number, to the first host that can be used. What breaks or falls silent is given up,
// so that the next one to ask finds the host that serves by then.
import { callbackify } from "node:util";
import pg from "pg";
import type { Pool, PoolClient, PoolConfig, QueryResult } from "pg";
import { createSemaphore } from "./semaphore.ts";
import { StoreError } from "./database.ts";
import type { Connections } from "./database.ts";
import { storeTrouble } from "./failure.ts";
import type { PostgresTarget } from "./postgres-hosts.ts";

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
/** The most that a timer takes. */
const FOR_EVER_MS = 2 ** 31 - 1;

const INT8_OID = 20;
/** Every integer of ours fits a double: times are ms, positions µs. */
const types: NonNullable<PoolConfig["types"]> = {
  getTypeParser: ((oid: number, format: "text" | "binary") =>
    oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format)) as never,
};

/**
 * Answers after which a connection is given up: the server ends the session, has no room for it, or accepts no writes any
 * more. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const ENDS_SESSION = /^(?:08|53|57P|58|XX|25006|25P03)/;
/** Answers to a COMMIT that say that the transaction was rolled back. */
const IS_ROLLED_BACK = /^(?:23|40(?!003))/;

export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
  readonly rowMode?: "array";
}

export interface Connection {
  query(query: Query): Promise<QueryResult>;
  /** Runs a statement that may take as long as the server lets it. */
  queryPatiently(query: Query): Promise<QueryResult>;
  /** Runs what speaks the protocol itself. */
  submit<T>(begin: (client: Pick<PoolClient, "query">) => Promise<T>): Promise<T>;
  /** Throws a StoreError with `outcome_unknown` when nobody knows what became of the transaction. */
  commit(): Promise<void>;
  /** Never fails: a connection that can't roll back is given up, and the server rolls back. */
  rollback(): Promise<void>;
}

export interface ConnectionPool {
  /** Runs `work` with a connection of its own as soon as there is one; throws a StoreError when there is none in time. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  count(): Connections;
  /** Resolves when all connections are given back and closed. */
  close(): Promise<void>;
}

/** A name with several addresses fails with the errors of all of them, and says nothing itself. */
function messageOf(error: unknown): string {
  const { message, errors } = error as AggregateError;
  return message === "" ? messageOf(errors?.[0] ?? { message: "unknown" }) : message;
}

class PooledConnection implements Connection {
  readonly #client: PoolClient;
  isUsable = true;
  /** No answer has come for longer than the server may take. */
  isSilent = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  query(query: Query): Promise<QueryResult> {
    return this.submit((client) => client.query(query as pg.QueryConfig));
  }

  async submit<T>(begin: (client: Pick<PoolClient, "query">) => Promise<T>): Promise<T> {
    try {
      return await begin(this.#client);
    } catch (error) {
      if (error instanceof pg.DatabaseError) {
        if (ENDS_SESSION.test(error.code ?? "")) this.isUsable = false;
        throw error;
      }
      this.isUsable = false;
      this.isSilent ||= (error as Error).message === "Query read timeout";
      throw new StoreError(`the connection to PostgreSQL broke: ${messageOf(error)}`, { cause: error });
    }
  }

  queryPatiently(query: Query): Promise<QueryResult> {
    return this.query({ ...query, query_timeout: FOR_EVER_MS } as Query);
  }

  async commit(): Promise<void> {
    let command: string;
    try {
      ({ command } = await this.query({ text: "COMMIT" }));
    } catch (error) {
      if (IS_ROLLED_BACK.test((error as { code?: string }).code ?? "")) throw error;
      this.isUsable = false;
      throw new StoreError("PostgreSQL broke off during a commit", { cause: error, trouble: "outcome_unknown" });
    }
    // What the server answers when a statement has failed and nobody has noticed.
    if (command !== "COMMIT") throw new Error("a transaction was to be committed of which a statement had failed");
  }

  async rollback(): Promise<void> {
    if (!this.isUsable) return;
    try {
      await this.query({ text: "ROLLBACK" });
    } catch {
      this.isUsable = false;
    }
  }
}

async function refuseReadOnly(client: PoolClient): Promise<void> {
  const query = { text: "show transaction_read_only", query_timeout: CONNECT_TIMEOUT_MS };
  const { rows } = await client.query<{ transaction_read_only: string }>(query);
  if (rows[0]?.transaction_read_only !== "off") {
    throw new StoreError("this PostgreSQL server accepts no writes", { trouble: "read_only" });
  }
}

type Verify = (client: PoolClient, done: (error: Error | null) => void) => void;

function createPool(url: string, mustBeWritable: boolean): Pool {
  const options: PoolConfig & { verify?: Verify } = {
    // Of two the last one counts: whoever replaces the store tells by this name that it is used.
    connectionString: `${url}${url.includes("?") ? "&" : "?"}application_name=reeve`,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    query_timeout: SILENCE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types,
    ...(mustBeWritable ? { verify: callbackify(refuseReadOnly) } : {}),
  };
  const pool = new pg.Pool(options);
  // A connection that breaks while idle is replaced by the pool, and one that breaks in use fails what uses it; without
  // listeners the process would end.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => void client.on("error", () => undefined));
  return pool;
}

const refuseBusy = () =>
  new StoreError("all connections to PostgreSQL are in use, and nobody gave one back in time", {
    trouble: "busy",
  });

export function openConnections({ urls, mustBeWritable }: PostgresTarget): ConnectionPool {
  const open = (url: string) => createPool(url, mustBeWritable);
  /** One for each host. */
  const pools = urls.map(open);
  const semaphore = createSemaphore({
    places: POOL_SIZE,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    refuse: refuseBusy,
  });
  /** The host that was used last. */
  let current = 0;
  let outage: { readonly error: StoreError; readonly endsAt: number } | undefined;

  /** A connection to a host that can be used, each host tried once, the one that was used last first. */
  async function connect(): Promise<{ readonly client: PoolClient; readonly pool: Pool }> {
    if (outage && performance.now() < outage.endsAt) throw outage.error;
    const first = current;
    let failure: unknown;
    for (let step = 0; step < pools.length; step++) {
      const at = (first + step) % pools.length;
      const pool = pools[at] as Pool;
      try {
        const client = await pool.connect();
        current = at;
        outage = undefined;
        return { client, pool };
      } catch (error) {
        failure = error;
      }
    }
    const trouble = storeTrouble(failure) ?? "unreachable";
    const error = new StoreError(`cannot reach PostgreSQL: ${messageOf(failure)}`, { cause: failure, trouble });
    outage = { error, endsAt: performance.now() + RETRY_MS };
    throw error;
  }

  /** What else is connected to a host that has fallen silent would be waited for in vain too. */
  function replacePool(silent: Pool): void {
    const at = pools.indexOf(silent);
    if (at < 0) return;
    pools[at] = open(urls[at] as string);
    void silent.end();
  }

  return {
    use: (work) =>
      semaphore.run(async () => {
        const { client, pool } = await connect();
        const connection = new PooledConnection(client);
        try {
          return await work(connection);
        } finally {
          client.release(!connection.isUsable);
          if (connection.isSilent) replacePool(pool);
        }
      }),
    count() {
      const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);
      return {
        total: sum(pools.map(({ totalCount }) => totalCount)),
        idle: sum(pools.map(({ idleCount }) => idleCount)),
        waiting: semaphore.waiting,
      };
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}
