// The database as handlers see it: a transaction that runs prepared statements. Both engines implement it.

export type SqlValue = string | number | null | Uint8Array;
export type SqlParams = Readonly<Record<string, SqlValue>>;

export type Engine = "sqlite" | "postgres";

/** One statement in an engine's dialect, with the order in which its named parameters are bound. */
export interface CompiledStatement {
  readonly sql: string;
  readonly bind: readonly Binding[];
  /** It changes nothing. */
  readonly isRead: boolean;
}
export type Binding = { readonly param: string } | { readonly value: SqlValue };

/** A statement that was built once; `index` is its slot in each connection's cache of prepared statements. */
export interface Statement {
  readonly index: number;
  readonly name: string;
  /**
   * The parameter of a change that is a JSON array. Where units of work share a transaction, the statement runs once for all of them,
   * last, with the elements of all: so it takes its locks in order.
   */
  readonly gathers?: string | undefined;
  /** It waits for the lock of the owner that its parameter `ownerId` names. */
  readonly locksOwner?: boolean | undefined;
  compiled(engine: Engine): CompiledStatement;
}

export type Awaitable<T> = T | Promise<T>;

/** Goes on with what was read, at once where the engine has returned at once. For what nearly every request does. */
export function afterRead<T, R>(value: Awaitable<T>, next: (value: T) => R): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Runs statements inside one transaction; reads outside a transaction have one of their own each.
 * SQLite returns at once and PostgreSQL later, so callers always await.
 */
export interface Tx {
  readonly engine: Engine;
  one(statement: Statement, params: SqlParams): Awaitable<unknown>;
  many(statement: Statement, params: SqlParams): Awaitable<unknown[]>;
  /** Resolves to the number of rows changed. */
  run(statement: Statement, params: SqlParams): Awaitable<number>;
  /**
   * A change of which nobody asks how many rows it changed. On PostgreSQL it is sent with the next statement whose result somebody awaits,
   * or with the commit, and its error is that of one of these.
   */
  write(statement: Statement, params: SqlParams): Awaitable<void>;
  /**
   * The heads of the chains of owners that this transaction has locked, so that none is read again; absent where reading costs little. A
   * change of `owners` clears it.
   */
  readonly heads?: Map<string, unknown> | undefined;
}

/** Another transaction changed what this one had read before it had the lock: it must run again, which the store sees to. */
export class LostRaceError extends Error {
  override readonly name = "LostRaceError";
}
