// A transaction or a read of PostgreSQL, as the statements of the stores use it.
import type { QueryResult } from "pg";
import type { SqlParams, SqlValue, Statement } from "../../kernel/tx.ts";
import type { SnapshotTx, WriteTx } from "../database.ts";
import type { Connection, Query } from "./connection.ts";
import { copyRows } from "./copy.ts";
import { selectRows, sizeOf } from "../tables/table.ts";
import type { Row, Table } from "../tables/table.ts";
import type { Tables } from "../tables/tables.ts";

/** The columns of `Tx.heads`, and the owner. */
export const HEAD = `id, sequence, hash, event_at as "eventAt", webhooks, checkpoint_due_at as "checkpointDueAt",
  oldest_event_at as "oldestEventAt"`;

/** Rows of the first fetch when whole tables are read, and of any. */
const FIRST_ROWS = 50;
const MAX_ROWS = 1_000;
const BATCH_BYTES = 1024 * 1024;

/** Runs statements. */
export interface Session extends Pick<Connection, "query" | "queryPatiently" | "submit"> {
  /** Sends a statement of a transaction with a later one. Its error is that of the later one, or of the commit. */
  defer?(query: Query): Promise<void>;
}

export function queryOf(statement: Statement, params: SqlParams): Query & { readonly values: SqlValue[] } {
  const { sql, bind } = statement.compiled("postgres");
  const values = bind.map((binding) => {
    const value = "param" in binding ? params[binding.param] : binding.value;
    if (value === undefined) throw new TypeError(`${statement.name}: a parameter is missing`);
    return value;
  });
  return { name: `s${statement.index}`, text: sql, values };
}

export class PostgresTx implements WriteTx, SnapshotTx {
  readonly engine = "postgres";
  readonly heads: Map<string, unknown> | undefined = undefined;
  readonly #connection: Session;
  #onlyChanged: string | null = null;

  constructor(connection: Session) {
    this.#connection = connection;
  }

  /** What a transaction may know already: see `ReadAheadTx`. */
  protected ask(_statement: Statement, _params: SqlParams, query: Query): Promise<QueryResult> {
    return this.#connection.query(query);
  }

  #query(statement: Statement, params: SqlParams): Promise<QueryResult> {
    return this.ask(statement, params, queryOf(statement, params));
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

  async write(statement: Statement, params: SqlParams): Promise<void> {
    if (this.#connection.defer) await this.#connection.defer(queryOf(statement, params));
    else await this.#query(statement, params);
  }

  async lockOwner(ownerId: string): Promise<boolean> {
    const { rows } = await this.#connection.query({
      name: "lock-owner",
      text: `select ${HEAD} from owners where id = $1 for update`,
      values: [ownerId],
    });
    if (rows.length > 0) this.heads?.set(ownerId, rows[0]);
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
