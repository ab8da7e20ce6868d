// The statements of one transaction: those of one turn of the event loop are one batch, together with what was deferred until then. After
// one has failed, no more are accepted, because the server would refuse them.
import type { QueryResult } from "pg";
import { sendBatch } from "./batch.ts";
import type { SentBatch } from "./batch.ts";
import type { Connection, Query } from "./connection.ts";
import type { Session } from "./postgres-tx.ts";

/** Deferred statements of which the next one waits for all: an import has thousands. */
const MAX_DEFERRED = 64;

const COMMIT: Query = { text: "COMMIT" };

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
  /** Somebody waits for a statement that is still to be sent. */
  #isAwaited = false;
  #isSending = false;
  /** Why the transaction can't be committed, and the number of the unit that is to blame, if one is. */
  failure: { readonly error: unknown; readonly unit: number | null } | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  query(query: Query, unit: number | null = null): Promise<QueryResult> {
    if (this.failure !== null) return Promise.reject(this.failure.error);
    this.#isAwaited = true;
    return this.#add(query, unit);
  }

  async defer(query: Query, unit: number | null = null): Promise<void> {
    if (this.failure !== null) throw this.failure.error;
    if (this.#batch.length >= MAX_DEFERRED) await this.query(query, unit);
    // Its failure is noted by the session.
    else this.#add(query, unit).catch(() => undefined);
  }

  /** Sends what is left to send, and the commit behind it: the server runs none of it after the first that fails. Throws as `Connection.commit` does. */
  async commit(): Promise<void> {
    const { command } = await this.query(COMMIT);
    // After a failed statement that was ignored, the server responds to COMMIT with ROLLBACK.
    if (command !== "COMMIT") throw new Error("a transaction was to be committed of which a statement had failed");
  }

  #add(query: Query, unit: number | null): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      this.#batch.push({ query, unit, resolve, reject });
      if (this.#isSending || !this.#isAwaited) return;
      this.#isSending = true;
      process.nextTick(() => void this.#sendAll());
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#isAwaited) await this.#send();
    this.#isSending = false;
  }

  async #send(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#isAwaited = false;
    const queries = batch.map(({ query }) => query);
    let sent: SentBatch | undefined;
    try {
      const results = await this.#connection.submit((client) => (sent = sendBatch(client, queries)).results);
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] as QueryResult);
    } catch (error) {
      const failed = batch[sent?.done() ?? 0];
      const why =
        batch.at(-1)?.query === COMMIT ? this.#connection.explainCommit(error, failed?.query === COMMIT) : error;
      this.failure ??= { error: why, unit: failed?.unit ?? null };
      for (const { reject } of batch) reject(why);
    }
  }

  /** Sends what was deferred. */
  async #flush(): Promise<void> {
    const last = this.#batch.pop();
    if (last) await this.query(last.query, last.unit);
  }

  async queryPatiently(query: Query): Promise<QueryResult> {
    await this.#flush();
    return await this.#connection.queryPatiently(query);
  }

  async submit<T>(begin: Parameters<Connection["submit"]>[0]): Promise<T> {
    await this.#flush();
    return (await this.#connection.submit(begin)) as T;
  }
}
