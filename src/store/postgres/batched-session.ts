// The statements of one transaction: those of one turn of the event loop are one batch. After one has failed, no more are accepted,
// because the server would refuse them.
import type { QueryResult } from "pg";
import { sendBatch } from "./batch.ts";
import type { SentBatch } from "./batch.ts";
import type { Connection, Query } from "./connection.ts";
import type { Session } from "./postgres-tx.ts";

interface SentQuery {
  readonly query: Query;
  /** The number of the unit of work that it is of; null: of all. */
  readonly unit: number | null;
  resolve(result: QueryResult): void;
  reject(error: unknown): void;
}

export class BatchedSession implements Session {
  readonly #connection: Connection;
  #batch: SentQuery[] = [];
  #isSending = false;
  /** Why the transaction can't be committed, and the number of the unit that is to blame, if one is. */
  failure: { readonly error: unknown; readonly unit: number | null } | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  query(query: Query, unit: number | null = null): Promise<QueryResult> {
    if (this.failure !== null) return Promise.reject(this.failure.error);
    return new Promise((resolve, reject) => {
      this.#batch.push({ query, unit, resolve, reject });
      if (this.#isSending) return;
      this.#isSending = true;
      process.nextTick(() => void this.#sendAll());
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#batch.length > 0) await this.#send();
    this.#isSending = false;
  }

  async #send(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    const queries = batch.map(({ query }) => query);
    let sent: SentBatch | undefined;
    try {
      const results = await this.#connection.submit((client) => (sent = sendBatch(client, queries)).results);
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] as QueryResult);
    } catch (error) {
      this.failure ??= { error, unit: batch[sent?.done() ?? 0]?.unit ?? null };
      for (const { reject } of batch) reject(error);
    }
  }

  queryPatiently(query: Query): Promise<QueryResult> {
    return this.#connection.queryPatiently(query);
  }

  readonly submit: Connection["submit"] = (begin) => this.#connection.submit(begin);
}
