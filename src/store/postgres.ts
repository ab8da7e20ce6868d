// The scaled store: PostgreSQL through `pg`, a small pool, named prepared statements, read committed plus the
// owner's row lock where a rule spans rows.
import { callbackify } from "node:util";
import pg from "pg";
import type { ClientConfig, Pool, PoolClient, PoolConfig } from "pg";
import { ApiError } from "../kernel/errors.ts";
import type { SqlParams, Statement } from "../kernel/tx.ts";
import { LostRaceError, StoreError, withRetry } from "./database.ts";
import type { Database, WriteTx } from "./database.ts";
import { isStoreFailure } from "./failure.ts";
import { parsePostgresUrl } from "./postgres-hosts.ts";
import type { PostgresTarget } from "./postgres-hosts.ts";
import type { Tables } from "./tables.ts";

// Measured: a pool of 16 beat 64 (fewer backends to switch between).
const POOL_SIZE = 16;
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 15_000;

const INT8_OID = 20;
/** Every integer of ours fits a double: times are ms, positions µs. */
const types: NonNullable<PoolConfig["types"]> = {
  getTypeParser: ((oid: number, format: "text" | "binary") =>
    oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format)) as never,
};

interface Queryable {
  query(query: {
    name?: string;
    text: string;
    values?: unknown[];
  }): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

class PostgresTx implements WriteTx {
  readonly engine = "postgres";
  readonly #client: Queryable;

  constructor(client: Queryable) {
    this.#client = client;
  }

  #query(statement: Statement, params: SqlParams) {
    const { sql, bind } = statement.compiled("postgres");
    const values = bind.map((binding) => {
      const value = "param" in binding ? params[binding.param] : binding.value;
      if (value === undefined) throw new TypeError(`${statement.name}: a parameter is missing`);
      return value;
    });
    return this.#client.query({ name: `s${statement.index}`, text: sql, values });
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
    await this.#client.query({
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
    await this.#client.query({ text: sql });
  }

  async query(sql: string, values: readonly (string | number)[] = []): Promise<Record<string, unknown>[]> {
    return (await this.#client.query({ text: sql, values: [...values] })).rows as Record<string, unknown>[];
  }
}

/**
 * Lost races that a second run of the whole transaction settles: serialization failure, deadlock, a unique value that
 * another transaction took first, and a row to refer to that it deleted (the second run sees that and refuses by name).
 */
const RETRYABLE_SQLSTATES = new Set(["40001", "40P01", "23505", "23503"]);

function isRetryable(error: unknown): boolean {
  return error instanceof LostRaceError || RETRYABLE_SQLSTATES.has((error as { code?: string }).code ?? "");
}

/** Whether the connection can go on: the server refused a statement, or our own code refused the request. */
function isConnectionUsable(error: unknown): boolean {
  return (
    error instanceof ApiError ||
    error instanceof LostRaceError ||
    (error instanceof pg.DatabaseError && !isStoreFailure(error))
  );
}

type Verify = (client: PoolClient, done: (error: Error | null) => void) => void;

async function refuseReadOnly(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>("show transaction_read_only");
  if (rows[0]?.transaction_read_only !== "off") {
    throw new StoreError("this PostgreSQL server accepts no writes", { trouble: "read_only" });
  }
}

interface Hosts {
  readonly pool: Pool;
  /** Leads the next connection to the next host. */
  passOver(): void;
}

function createPool({ urls, mustBeWritable }: PostgresTarget): Hosts {
  let preferred = 0;

  class Client extends pg.Client {
    constructor(config?: ClientConfig) {
      super({ ...config, connectionString: urls[preferred % urls.length] });
    }
  }

  const options: PoolConfig & { verify?: Verify } = {
    connectionString: urls[0],
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: "reeve",
    types,
    ...(urls.length > 1 ? { Client } : {}),
    ...(mustBeWritable ? { verify: callbackify(refuseReadOnly) } : {}),
  };
  const pool = new pg.Pool(options);
  // A connection that breaks while idle is replaced by the pool, and one that breaks in use fails what uses it; without
  // listeners the process would end.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => void client.on("error", () => undefined));
  return { pool, passOver: () => preferred++ };
}

/** Opens PostgreSQL at a URL with one or more hosts; throws a StoreError when none can be used. */
export async function openPostgres(url: string): Promise<Database> {
  const target = parsePostgresUrl(url);
  const { pool, passOver } = createPool(target);

  /** A connection to a host that can be used, each host tried once. */
  async function connect(): Promise<PoolClient> {
    for (let tries = 1; ; tries++) {
      try {
        return await pool.connect();
      } catch (error) {
        if (tries >= target.urls.length) throw error;
        passOver();
      }
    }
  }

  async function withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await connect();
    let failure: unknown;
    try {
      return await work(client);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.release(failure !== undefined && !isConnectionUsable(failure));
    }
  }

  async function runOnce<T>(client: PoolClient, begin: string, work: (tx: WriteTx) => Promise<T>): Promise<T> {
    await client.query(begin);
    try {
      const result = await work(new PostgresTx(client));
      await client.query("COMMIT");
      return result;
    } catch (error) {
      // Where the connection is gone the server has rolled back already, and the first error says why.
      await client.query("ROLLBACK").catch(() => undefined);
      throw error;
    }
  }

  try {
    await withClient((client) => client.query("select 1"));
  } catch (error) {
    await pool.end();
    throw new StoreError(`cannot reach PostgreSQL: ${(error as Error).message}`, { cause: error });
  }

  const reader = new PostgresTx({ query: (query) => withClient((client) => client.query(query as never)) });
  return {
    engine: "postgres",
    reader,
    transaction: (work) => withRetry(() => withClient((client) => runOnce(client, "BEGIN", work)), isRetryable),
    snapshot: (work) =>
      withClient((client) => runOnce(client, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work)),
    admin: reader,
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}
