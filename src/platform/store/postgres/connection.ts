// One session of PostgreSQL, and whether it is still usable.
import type { Socket } from "node:net";
import pg from "pg";
import type { PoolClient, QueryResult } from "pg";
import { LostRaceError } from "../../kernel/tx.ts";
import { StoreError } from "../database.ts";

/** The longest delay of a timer. */
const FOR_EVER_MS = 2 ** 31 - 1;

/**
 * Errors after which a connection is closed: the server ends the session, has no room for it, or no longer accepts writes, or it is
 * another session than the one in which statements were prepared.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const ENDS_SESSION = /^(?:08|53|57P|58|XX|25006|25P03|25P04|26000|42P05)/;
/** Errors of the driver for a connection that was closed before the statement. */
const NOT_SENT = /is not queryable/;
/** Errors of a COMMIT which mean that the transaction was rolled back. */
const IS_ROLLED_BACK = /^(?:23|40(?!003))/;

/** Errors of the driver that have no code: the time-outs of a statement, of connecting, and of waiting in its pool. */
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
  /** Runs a statement without a time limit of the client; the server's own holds. */
  queryPatiently(query: Query): Promise<QueryResult>;
  /** Runs a query object that speaks the protocol itself. */
  submit<T>(begin: (client: Pick<PoolClient, "query">) => Promise<T>): Promise<T>;
  /**
   * The error of a batch whose last statement was the commit; with `outcome_unknown` the transaction may have been committed, or not.
   * `isOfCommit`: no statement before it has failed.
   */
  explainCommit(error: unknown, isOfCommit: boolean): unknown;
  /** Never rejects: it closes a connection that can't roll back, and the server then rolls back. */
  rollback(): Promise<void>;
}

/** The error of a name with several addresses has no message of its own, but the errors of all addresses. */
export function messageOf(error: unknown): string {
  const { message, errors } = error as AggregateError;
  return message === "" ? messageOf(errors?.[0] ?? { message: "unknown" }) : message;
}

/** Whether an error is a time-out of the driver or of the system. */
export function isTimeout(error: unknown): boolean {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  return code === "ETIMEDOUT" || DRIVER_TIMEOUTS.has(message);
}

/** The prepared statement does not exist, or another client has prepared one with that name. */
const NOT_PREPARED: ReadonlySet<string> = new Set(["26000", "42P05"]);

/** Whether a statement was prepared in another session: a pooler has mixed the sessions. */
export const isNotPrepared = (error: unknown) => NOT_PREPARED.has((error as { readonly code?: string }).code ?? "");

/**
 * Whether a prepared statement can't be used, because the schema was changed or sessions were mixed: then all sessions must be
 * replaced. The statement had no effect.
 */
export function isStatementLost(error: unknown): boolean {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  return isNotPrepared(error) || (code === "0A000" && message === "cached plan must not change result type");
}

/**
 * Lost races, after which the whole transaction runs again: serialization failure, deadlock, a unique value that another
 * transaction took first, and a referenced row that it deleted (the second run sees that, and refuses with a proper error).
 */
const LOST_RACES: ReadonlySet<string> = new Set(["40001", "40P01", "23505", "23503"]);

/** Whether the server took a value for one of another type, or of another form. */
export const isDataError = (error: unknown) => ((error as { readonly code?: string }).code ?? "").startsWith("22");

/** Whether a transaction failed because of others, so that it may succeed when it runs again. */
export function isLostRace(error: unknown): boolean {
  if (error instanceof LostRaceError || isStatementLost(error)) return true;
  return LOST_RACES.has((error as { readonly code?: string }).code ?? "");
}

export interface ConnectionEvents {
  /** Called with the error of a statement that can't be used any more (`isStatementLost`). */
  onLost(error: pg.DatabaseError): void;
  /** Called after each response of the server. */
  onResponse(): void;
}

export class PooledConnection implements Connection {
  readonly #client: PoolClient;
  readonly #events: ConnectionEvents;
  isUsable = true;
  /** The server has not responded for longer than any statement may take. */
  isSilent = false;
  #isGathering = false;

  constructor(client: PoolClient, events: ConnectionEvents) {
    this.#client = client;
    this.#events = events;
  }

  query(query: Query): Promise<QueryResult> {
    return this.submit((client) => client.query(query as pg.QueryConfig));
  }

  async submit<T>(begin: (client: Pick<PoolClient, "query">) => Promise<T>): Promise<T> {
    try {
      const result = await begin(this.#client);
      this.#events.onResponse();
      return result;
    } catch (error) {
      if (error instanceof pg.DatabaseError) {
        this.#events.onResponse();
        if (ENDS_SESSION.test(error.code ?? "")) this.isUsable = false;
        if (isStatementLost(error)) this.#events.onLost(error);
        throw error;
      }
      this.isUsable = false;
      this.isSilent ||= isTimeout(error);
      const reason = this.isSilent ? "silent" : "unreachable";
      throw new StoreError(`the connection to PostgreSQL broke: ${messageOf(error)}`, { cause: error, reason });
    }
  }

  /** Fails the statements in flight, because the server has not responded for too long. */
  giveUp(): void {
    this.isUsable = false;
    this.isSilent = true;
    // Destroy the socket, as the driver does after its own statement time-out; `end` would wait for the responses.
    this.#socket.destroy();
  }

  get #socket(): Socket {
    return (this.#client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
  }

  /** Writes the statements of this turn of the event loop together: each write is a system call, and wakes the server. */
  gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const socket = this.#socket;
    socket.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      socket.uncork();
    });
  }

  queryPatiently(query: Query): Promise<QueryResult> {
    return this.query({ ...query, query_timeout: FOR_EVER_MS } as Query);
  }

  explainCommit(error: unknown, isOfCommit: boolean): unknown {
    if (error instanceof pg.DatabaseError) {
      // The server does not run what follows a failed statement.
      if (!isOfCommit || IS_ROLLED_BACK.test(error.code ?? "")) return error;
    } else if (NOT_SENT.test(messageOf((error as Error).cause ?? error))) return error;
    this.isUsable = false;
    return new StoreError("PostgreSQL broke off during a commit", { cause: error, reason: "outcome_unknown" });
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

/** The exclusive use of a connection. */
export interface Lease {
  readonly connection: PooledConnection;
  /** Whether it is usable, and a new one would be to the same host. */
  isCurrent(): boolean;
  /** Calls the listener when the connection ends or breaks by itself, also while it is idle. */
  onEnd(listener: () => void): void;
  /** With `isLast` the connection is closed. */
  release(isLast?: boolean): void;
}
