// The scaled store: PostgreSQL through `pg`, a small pool, named prepared statements, read committed plus the
// owner's row lock where a rule spans rows.
import pg from "pg";
import type { PoolClient, PoolConfig } from "pg";
import type { SqlParams, Statement } from "../kernel/tx.ts";
import { StoreError, withRetry } from "./database.ts";
import type { Database, WriteTx } from "./database.ts";

// Measured: a pool of 16 beat 64 (fewer backends to switch between).
const POOL_SIZE = 16;
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 15_000;

const INT8_OID = 20;
/** Every integer of ours fits a double: times are ms, positions µs. */
const types: PoolConfig["types"] = {
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
  return RETRYABLE_SQLSTATES.has((error as { code?: string }).code ?? "");
}

export async function openPostgres(url: string): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: "reeve",
    types,
  });
  // A connection that breaks while idle is replaced by the pool; without a listener the process would end.
  pool.on("error", () => undefined);
  try {
    await pool.query("select 1");
  } catch (error) {
    await pool.end();
    throw new StoreError(`cannot reach PostgreSQL: ${(error as Error).message}`, { cause: error });
  }

  async function runOnce<T>(client: PoolClient, work: (tx: WriteTx) => Promise<T>): Promise<T> {
    await client.query("BEGIN");
    try {
      const result = await work(new PostgresTx(client));
      await client.query("COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK");
      throw error;
    }
  }

  const reader = new PostgresTx(pool);
  return {
    engine: "postgres",
    reader,
    transaction: (work) =>
      withRetry(async () => {
        const client = await pool.connect();
        let failure: Error | undefined;
        try {
          return await runOnce(client, work);
        } catch (error) {
          failure = error as Error;
          throw error;
        } finally {
          // A connection in an unknown state (it died under us) is not given back to the pool.
          client.release(failure && !("code" in failure) && failure.name !== "ApiError" ? failure : undefined);
        }
      }, isRetryable),
    admin: reader,
    close: () => pool.end(),
  };
}
