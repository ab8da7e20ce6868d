// Several statements as one message to the server, which answers with one: they cost both sides one wake-up. The first that fails is
// the last that is run.
// https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
import pg from "pg";
import type { Connection, FieldDef, PoolClient, QueryResult, Submittable } from "pg";
import type { SqlValue } from "../../kernel/tx.ts";
import type { Query } from "./connection.ts";
import { types } from "./driver.ts";

/** Methods of the driver's connection and of its results that are missing from its types. */
interface DriverConnection extends Connection {
  readonly parsedStatements: Record<string, string>;
}
interface DriverResult extends QueryResult {
  addFields(fields: readonly FieldDef[]): void;
  parseRow(values: readonly (string | null)[]): unknown;
  addRow(row: unknown): void;
  addCommandComplete(message: unknown): void;
}
const Result = pg.Result as unknown as new (rowMode: undefined, parsers: typeof types) => DriverResult;

/** What the rows of each prepared statement look like, so that the server need not say so again; null: it has none. */
const descriptions = new WeakMap<Connection, Map<string, readonly FieldDef[] | null>>();

function descriptionsOf(connection: Connection): Map<string, readonly FieldDef[] | null> {
  const known = descriptions.get(connection) ?? new Map<string, readonly FieldDef[] | null>();
  descriptions.set(connection, known);
  return known;
}

function encodeValue(value: SqlValue): string | Buffer | null {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return typeof value === "number" ? String(value) : value;
}

class Batch implements Submittable {
  readonly #queries: readonly Query[];
  readonly #results: DriverResult[] = [];
  /** Of the statement whose responses are expected. */
  #present: DriverResult | null = null;
  #known: Map<string, readonly FieldDef[] | null> = new Map();
  /** The driver wraps it in a callback of its own, for its time-out. */
  callback: (error: Error | null, results?: QueryResult[]) => void;

  constructor(queries: readonly Query[], callback: Batch["callback"]) {
    this.#queries = queries;
    this.callback = callback;
  }

  /** Of the statement whose responses are expected: the driver notes by them which are prepared. */
  get name(): string | undefined {
    return this.#queries[this.#results.length]?.name;
  }

  get text(): string | undefined {
    return this.#queries[this.#results.length]?.text;
  }

  get done(): number {
    return this.#results.length;
  }

  submit(connection: Connection): void {
    const { parsedStatements, stream } = connection as DriverConnection;
    const prepared = new Set<string>();
    this.#known = descriptionsOf(connection);
    stream.cork();
    for (const { name = "", text, values = [] } of this.#queries) {
      if (name === "" || !(prepared.has(name) || name in parsedStatements)) {
        connection.parse({ name, text, types: [] }, true);
        prepared.add(name);
      }
      connection.bind(
        { portal: "", statement: name, values: (values as SqlValue[]).map(encodeValue), binary: "" },
        true,
      );
      if (name === "" || !this.#known.has(name)) connection.describe({ type: "P", name: "" }, true);
      connection.execute({ portal: "", rows: "" }, true);
    }
    connection.sync();
    stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    if (this.name !== undefined) this.#known.set(this.name, fields);
    this.#begin(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const result = this.#present ?? this.#begin(this.#known.get(this.name ?? "") ?? []);
    result.addRow(result.parseRow(fields));
  }

  handleCommandComplete(message: unknown): void {
    const { name } = this;
    const result = this.#present ?? this.#begin([]);
    result.addCommandComplete(message);
    if (name !== undefined && !this.#known.has(name)) this.#known.set(name, null);
    this.#results.push(result);
    this.#present = null;
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#results);
  }

  #begin(fields: readonly FieldDef[]): DriverResult {
    const result = new Result(undefined, types);
    result.addFields(fields);
    this.#present = result;
    return result;
  }
}

export interface SentBatch {
  /** Rejects with the error of the first statement that fails, or of the connection. */
  readonly results: Promise<QueryResult[]>;
  /** How many statements have succeeded. */
  readonly done: () => number;
}

export function sendBatch(client: Pick<PoolClient, "query">, queries: readonly Query[]): SentBatch {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult[]>();
  const batch = new Batch(queries, (error, results = []) => (error ? reject(error) : resolve(results)));
  client.query(batch);
  return { results: promise, done: () => batch.done };
}
