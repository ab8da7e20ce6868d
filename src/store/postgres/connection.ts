// One session of PostgreSQL, as what works with it sees it, and whether it can be used any further.
import type { Socket } from "node:net";
import pg from "pg";
import type { PoolClient, QueryResult } from "pg";
import { StoreError } from "../database.ts";

/** The most that a timer takes. */
const FOR_EVER_MS = 2 ** 31 - 1;

/**
 * Answers after which a connection is given up: the server ends the session, has no room for it, or accepts no writes any
 * more. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const ENDS_SESSION = /^(?:08|53|57P|58|XX|25006|25P03)/;
/** Answers to a COMMIT that say that the transaction was rolled back. */
const IS_ROLLED_BACK = /^(?:23|40(?!003))/;

/** What the driver has no code for: of a statement, of connecting, and of waiting in its pool. */
const DRIVER_TIMEOUTS: ReadonlySet<string> = new Set([
  "Query read timeout",
  "Connection terminated due to connection timeout",
  "timeout exceeded when trying to connect",
]);

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

/** A name with several addresses fails with the errors of all of them, and says nothing itself. */
export function messageOf(error: unknown): string {
  const { message, errors } = error as AggregateError;
  return message === "" ? messageOf(errors?.[0] ?? { message: "unknown" }) : message;
}

/** Whether something was waited for in vain, by the driver or by the system. */
export function isTimeout(error: unknown): boolean {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  return code === "ETIMEDOUT" || DRIVER_TIMEOUTS.has(message);
}

/** Whether what was prepared here would answer other columns by now: the schema was changed, and all sessions are to begin anew. */
export function isPlanOutdated(error: unknown): boolean {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  return code === "0A000" && message === "cached plan must not change result type";
}

export class PooledConnection implements Connection {
  readonly #client: PoolClient;
  readonly #onOutdated: () => void;
  isUsable = true;
  /** No answer has come for longer than the server may take. */
  isSilent = false;

  constructor(client: PoolClient, onOutdated: () => void) {
    this.#client = client;
    this.#onOutdated = onOutdated;
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
        if (isPlanOutdated(error)) this.#onOutdated();
        throw error;
      }
      this.isUsable = false;
      this.isSilent ||= isTimeout(error);
      const reason = this.isSilent ? "silent" : "unreachable";
      throw new StoreError(`the connection to PostgreSQL broke: ${messageOf(error)}`, { cause: error, reason });
    }
  }

  /** What is under way fails: the server has owed an answer for too long. */
  giveUp(): void {
    this.isUsable = false;
    this.isSilent = true;
    // As the driver does it itself when a statement with a limit of its own has taken too long; `end` would wait for the answers.
    (this.#client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy();
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
      throw new StoreError("PostgreSQL broke off during a commit", { cause: error, reason: "outcome_unknown" });
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

/** A connection, for as long as somebody holds it. */
export interface Lease {
  readonly connection: PooledConnection;
  /** It can be used, and a new one would be to the same host. */
  isCurrent(): boolean;
  /** Hears when the connection ends or breaks by itself, while it is idle too. */
  onEnd(hear: () => void): void;
  /** With `isLast` the connection is closed. */
  release(isLast?: boolean): void;
}
