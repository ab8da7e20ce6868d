// One transaction for several units of work of different owners: they share its begin, its locks and its commit, and the statements
// that they send in one turn of the event loop are written together. Units of one owner run one after the other.
//
// A unit that is refused before it has changed anything is left out. When one fails after that, or a statement fails, the whole
// transaction is undone: there is no savepoint, because nearly every unit succeeds and a savepoint costs two statements.
import { LostRaceError } from "../../kernel/tx.ts";
import type { ReadPlan, WriteTx } from "../database.ts";
import type { SqlParams, Statement } from "../../kernel/tx.ts";
import type { ChangeRecorder } from "./changed-owners.ts";
import { isLostRace } from "./connection.ts";
import type { Connection, Query } from "./connection.ts";
import { storeFailureReason } from "../failure.ts";
import { BatchedSession } from "./batched-session.ts";
import { HEAD, PostgresTx } from "./postgres-tx.ts";
import { ReadAheadTx } from "./read-ahead.ts";
import type { TransactionTimes } from "./timings.ts";

export interface Unit {
  /** The owner that it locks. It locks no rows of other owners, and waits for other locks only briefly (`LIMIT_WAITING`). */
  readonly ownerId: string;
  readonly plan?: ReadPlan | undefined;
  work(tx: WriteTx): Promise<unknown>;
}

/** How a unit ended. */
export type UnitOutcome =
  | { readonly kind: "done"; readonly value: unknown; readonly runMs: number }
  /** Refused before it had changed anything, or the store has failed. */
  | { readonly kind: "failed"; readonly error: unknown }
  /** Not run: another transaction holds the lock of its owner. */
  | { readonly kind: "held" }
  /** Undone because of itself, or nobody knows because of which: to be run in a transaction of its own. */
  | { readonly kind: "apart" }
  /** Undone because of another unit: to be run in another shared transaction. */
  | { readonly kind: "again" };

/** By id, so that two transactions that wait can't wait for each other. */
const LOCK = `select ${HEAD} from owners where id = any (array(select json_array_elements_text(cast($1 as json))))
  order by id for update`;
const LOCK_QUERIES = {
  waiting: { name: "lock-owners", text: LOCK },
  skipping: { name: "lock-free-owners", text: `${LOCK} skip locked` },
} as const;

/**
 * What waits longer for another lock is undone, and waits by itself: for a name that another transaction has just taken, or because two
 * transactions wait for each other. ms
 */
const LIMIT_WAITING = "set local lock_timeout = 500";

class HeldError extends Error {}

/** Lets the units of each owner have their turns. */
function createTurns() {
  const last = new Map<string, Promise<void>>();
  return (ownerId: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last.get(ownerId);
    last.set(ownerId, promise);
    return { begun: before ?? Promise.resolve(), end: resolve };
  };
}

interface Shared {
  readonly session: BatchedSession;
  /** The owners whose locks the transaction has; null: all that there are. */
  readonly locked: Promise<ReadonlySet<string> | null>;
  /** See `Tx`. */
  readonly heads: Map<string, unknown>;
  readonly takeTurn: ReturnType<typeof createTurns>;
  /** Statements that run once, at the end. */
  readonly gathered: Map<Statement, SqlParams[]>;
}

/** The transaction as one unit sees it. */
class UnitTx extends ReadAheadTx {
  readonly #shared: Shared;
  readonly #ownerId: string;
  #plan: ReadPlan | undefined;
  #endTurn: (() => void) | undefined;
  #isOver = false;
  hasChanged = false;

  constructor(shared: Shared, { ownerId, plan }: Unit, { unit, isFirst }: { unit: number; isFirst: boolean }) {
    const { session } = shared;
    const refuse = () => (this.#isOver ? Promise.reject(new Error("the unit has ended")) : undefined);
    const query = (asked: Query) => refuse() ?? session.query(asked, unit);
    const defer = (asked: Query) => refuse() ?? session.defer(asked, unit);
    super({ query, queryPatiently: query, submit: (begin) => session.submit(begin), defer }, shared.heads);
    this.#shared = shared;
    this.#ownerId = ownerId;
    this.#plan = plan;
    if (isFirst) this.#begin();
  }

  /** The changes of the owner's earlier units are made. */
  #begin(): void {
    if (this.#plan) this.readAhead(this.#plan);
    this.#plan = undefined;
  }

  override one(statement: Statement, params: SqlParams): Promise<unknown> {
    this.#note(statement);
    return super.one(statement, params);
  }

  override many(statement: Statement, params: SqlParams): Promise<unknown[]> {
    this.#note(statement);
    return super.many(statement, params);
  }

  override async run(statement: Statement, params: SqlParams): Promise<number> {
    this.#note(statement);
    return await super.run(statement, params);
  }

  override async write(statement: Statement, params: SqlParams): Promise<void> {
    this.#note(statement);
    if (statement.gathers === undefined) return await super.write(statement, params);
    const all = this.#shared.gathered.get(statement);
    if (all) all.push(params);
    else this.#shared.gathered.set(statement, [params]);
  }

  override async exec(sql: string): Promise<void> {
    this.hasChanged = true;
    await super.exec(sql);
  }

  override async query(sql: string, values?: readonly (string | number)[]): Promise<Record<string, unknown>[]> {
    this.hasChanged = true;
    return await super.query(sql, values);
  }

  /** The lock was taken before the unit began to read, so it need not read again. */
  override async lockOwner(ownerId: string): Promise<boolean> {
    if (ownerId !== this.#ownerId) throw new LostRaceError("the unit locks another owner than was expected");
    const locked = await this.#shared.locked;
    if (locked && !locked.has(ownerId)) throw new HeldError();
    if (this.#endTurn) return false;
    const { begun, end } = this.#shared.takeTurn(ownerId);
    this.#endTurn = end;
    await begun;
    this.#begin();
    return false;
  }

  /** Its statements that are still to be sent are refused, since it has its outcome. */
  end(): void {
    this.endReadAhead();
    this.#isOver = true;
    this.#endTurn?.();
  }

  #note(statement: Statement): void {
    if (!statement.compiled("postgres").isRead) this.hasChanged = true;
  }
}

async function runUnit(session: BatchedSession, tx: UnitTx, { work }: Unit, unit: number): Promise<UnitOutcome> {
  const startedAt = performance.now();
  try {
    const value = await work(tx);
    return { kind: "done", value, runMs: performance.now() - startedAt };
  } catch (error) {
    if (tx.hasChanged) session.failure ??= { error, unit };
    if (error instanceof HeldError) return { kind: "held" };
    if (session.failure !== null || error instanceof LostRaceError) return { kind: "apart" };
    return { kind: "failed", error };
  } finally {
    tx.end();
  }
}

/** A statement that several units have run, as one with the elements of all. Its other parameters are those of the first. */
function mergeParams({ gathers = "" }: Statement, all: readonly SqlParams[]): SqlParams {
  const elements = all.flatMap((params) => JSON.parse(params[gathers] as string) as unknown[]);
  return { ...all[0], [gathers]: JSON.stringify(elements) };
}

/** The owners that the units have changed; null: anything; undefined: nothing. */
function changedOwners(txs: readonly UnitTx[]): ReadonlySet<string> | null | undefined {
  const changed = new Set<string>();
  const changing = txs.filter(({ hasChanged }) => hasChanged);
  for (const tx of changing) {
    const owners = tx.changedOwners();
    if (owners === null) return null;
    for (const id of owners) changed.add(id);
  }
  return changing.length === 0 ? undefined : changed;
}

/** Does what is left to do, and commits. Throws when the transaction was not committed, or may not have been. */
async function commit(
  { session, gathered }: Shared,
  changes: ChangeRecorder,
  changed: ReadonlySet<string> | null,
): Promise<void> {
  const tx = new PostgresTx(session);
  await Promise.all([
    ...Array.from(gathered, ([statement, all]) => tx.write(statement, mergeParams(statement, all))),
    changes.record(session, changed),
  ]);
  await session.commit();
}

const LOCK_TIMEOUT = "55P03";

/** Whether all units would fail by themselves too, because the store has failed. What keeps one busy does not concern the others. */
function failsAll(error: unknown): boolean {
  if (isLostRace(error)) return false;
  const reason = storeFailureReason(error);
  return reason !== null && reason !== "busy";
}

export interface SharedOutcome {
  /** In the order of the units. */
  readonly endings: readonly UnitOutcome[];
  /** Of `performance.now()`. */
  readonly begunAt: number;
  /** Of a commit. */
  readonly times: TransactionTimes | null;
}

/**
 * Runs units in one transaction on a connection that sends without waiting. With `skipsHeld` it leaves out the units of owners whose
 * locks another transaction holds; else it waits for those, and its units must be of one owner. Never rejects.
 */
export async function runShared(
  connection: Connection,
  units: readonly Unit[],
  { changes, skipsHeld }: { readonly changes: ChangeRecorder; readonly skipsHeld: boolean },
): Promise<SharedOutcome> {
  const begunAt = performance.now();
  const session = new BatchedSession(connection);
  const end = (endingOf: (at: number) => UnitOutcome): SharedOutcome => ({
    endings: units.map((_, at) => endingOf(at)),
    begunAt,
    times: null,
  });
  const undone = (error: unknown, culprit: number | null = null): SharedOutcome => {
    const isLockTimeout = (error as { readonly code?: string }).code === LOCK_TIMEOUT;
    // Who has waited for the owner's lock in vain would do so again.
    if (failsAll(error) || (isLockTimeout && !skipsHeld && culprit === null)) {
      return end(() => ({ kind: "failed", error }));
    }
    return end((at) => ({ kind: culprit === null || culprit === at ? "apart" : "again" }));
  };
  const ownerIds = [...new Set(units.map(({ ownerId }) => ownerId))];
  const lock = { ...LOCK_QUERIES[skipsHeld ? "skipping" : "waiting"], values: [JSON.stringify(ownerIds)] };
  const begun = session.query({ text: "BEGIN" });
  const limited = skipsHeld ? session.query({ text: LIMIT_WAITING }) : undefined;
  const locking = session.query(lock);
  const heads = new Map<string, unknown>();
  const shared: Shared = {
    session,
    locked: Promise.all([locking, begun, limited]).then(([{ rows }]) => {
      for (const head of rows as { readonly id: string }[]) heads.set(head.id, head);
      return skipsHeld ? new Set(heads.keys()) : null;
    }),
    heads,
    takeTurn: createTurns(),
    gathered: new Map(),
  };
  const txs = units.map((unit, at) => {
    const isFirst = units.findIndex(({ ownerId }) => ownerId === unit.ownerId) === at;
    return new UnitTx(shared, unit, { unit: at, isFirst });
  });
  const running = Promise.all(units.map((unit, at) => runUnit(session, txs[at] as UnitTx, unit, at)));
  // A failure is noted by the session.
  await shared.locked.catch(() => undefined);
  const endings = await running;
  const changed = changedOwners(txs);
  if (session.failure !== null || changed === undefined) {
    await connection.rollback();
    return session.failure === null
      ? { endings, begunAt, times: null }
      : undone(session.failure.error, session.failure.unit);
  }
  const doneAt = performance.now();
  try {
    await commit(shared, changes, changed);
  } catch (error) {
    await connection.rollback();
    if (!failsAll(error)) return undone(error);
    // Perhaps it was committed. One that has changed nothing can be run again.
    return end((at) => (txs[at]?.hasChanged ? { kind: "failed", error } : { kind: "again" }));
  }
  return { endings, begunAt, times: { begunAt, doneAt, committedAt: performance.now() } };
}
