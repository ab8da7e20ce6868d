// Transactions that write: those of requests whose owner is known share one with others, and all others have one of their own.
import { withRetry } from "../database.ts";
import type { Database, TransactionOptions, WriteTx } from "../database.ts";
import { LostRaceError } from "../../kernel/tx.ts";
import type { SqlParams, Statement } from "../../kernel/tx.ts";
import type { StoreMeter } from "../meter.ts";
import { createChangeRecorder, schedulePruning } from "./changed-owners.ts";
import { BatchedSession } from "./batched-session.ts";
import type { ChangeRecorder } from "./changed-owners.ts";
import { createCommitGroups } from "./commit-groups.ts";
import { isDataError, isLostRace } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./pool.ts";
import { createOwnerQueue } from "./owner-queue.ts";
import type { EnterQueue, LockPlace } from "./owner-queue.ts";
import type { Session } from "./postgres-tx.ts";
import { ReadAheadTx } from "./read-ahead.ts";
import { runShared } from "./shared-transaction.ts";
import type { SharedOutcome, Unit } from "./shared-transaction.ts";
import { createTimings } from "./timings.ts";
import type { TransactionTimes } from "./timings.ts";

/** A transaction of its own. It waits for the lock of an owner in a place of the owner's queue. */
class AloneTx extends ReadAheadTx {
  readonly #enter: EnterQueue;
  readonly #locked = new Set<string>();
  readonly #expected: Promise<boolean> | undefined;
  readonly #expectedId: string | undefined;

  /** `place`: its place in the queue of the owner that it is expected to lock. */
  constructor(session: Session, enter: EnterQueue, { ownerId, plan }: TransactionOptions, place?: LockPlace) {
    super(session);
    this.#enter = enter;
    this.#expectedId = ownerId;
    if (ownerId === undefined || !place) return;
    this.#expected = this.#lockIn(place, ownerId, () => super.lockOwner(ownerId));
    // Its failure is that of the statements behind it too.
    this.#expected.catch(() => undefined);
    if (plan) this.readAhead(plan);
  }

  override async lockOwner(ownerId: string): Promise<boolean> {
    if (this.#expected === undefined) return await this.#inPlace(ownerId, () => super.lockOwner(ownerId));
    // Two locks would be in no order.
    if (ownerId !== this.#expectedId) throw new LostRaceError("it locks another owner than was expected");
    await this.#expected;
    return false;
  }

  end(): void {
    this.endReadAhead();
  }

  override async one(statement: Statement, params: SqlParams): Promise<unknown> {
    if (!statement.locksOwner) return await super.one(statement, params);
    return await this.#inPlace(params["ownerId"] as string, () => super.one(statement, params));
  }

  async #inPlace<T>(ownerId: string, lock: () => Promise<T>): Promise<T> {
    if (this.#locked.has(ownerId)) return await lock();
    if (this.#expectedId !== undefined && ownerId !== this.#expectedId) this.endReadAhead();
    return await this.#lockIn(this.#enter(ownerId), ownerId, lock);
  }

  async #lockIn<T>(place: LockPlace, ownerId: string, lock: () => Promise<T>): Promise<T> {
    try {
      const result = await lock();
      this.#locked.add(ownerId);
      return result;
    } finally {
      place.leave();
    }
  }
}

interface Commit<T> {
  work(tx: WriteTx): Promise<T>;
  makeTx(session: Session): AloneTx;
  onCommit(times: TransactionTimes): void;
}

async function commitWork<T>(
  connection: Connection,
  { work, makeTx, onCommit }: Commit<T>,
  changes: ChangeRecorder,
): Promise<T> {
  const begunAt = performance.now();
  try {
    await changes.prepare(connection);
    const session = new BatchedSession(connection);
    await session.defer({ text: "BEGIN" });
    const tx = makeTx(session);
    const result = await work(tx);
    tx.end();
    const doneAt = performance.now();
    await changes.record(session, tx.changedOwners());
    await session.commit();
    onCommit({ begunAt, doneAt, committedAt: performance.now() });
    return result;
  } catch (error) {
    await connection.rollback();
    throw error;
  }
}

/** Runs units in one transaction as soon as there is a connection; they fail when there is none in time. */
async function shareConnection(
  connections: ConnectionPool,
  units: readonly Unit[],
  run: (connection: Connection) => Promise<SharedOutcome>,
): Promise<SharedOutcome> {
  try {
    return await connections.use(run);
  } catch (error) {
    return { endings: units.map(() => ({ kind: "failed", error })), begunAt: performance.now(), times: null };
  }
}

/** Runs transactions that write, again after a lost race. */
export function createTransactions(connections: ConnectionPool, meter: StoreMeter): Database["transaction"] {
  const timings = createTimings(meter);
  const changes = createChangeRecorder();
  const prune = schedulePruning(connections.use);
  const queue = createOwnerQueue();

  async function runAlone<T>(
    work: (tx: WriteTx) => Promise<T>,
    { observe, ownerId, plan }: TransactionOptions,
    { askedAt = performance.now(), attemptsMade = 0 } = {},
  ): Promise<T> {
    let expected: TransactionOptions = { ownerId, plan };
    const onCommit = (times: TransactionTimes) => {
      timings.commit(times);
      meter.groups.observe(1);
      prune();
      const { begunAt, doneAt, committedAt } = times;
      observe?.({ waitMs: begunAt - askedAt, runMs: doneAt - begunAt, commitMs: committedAt - doneAt });
    };
    const attempt = async (enter: EnterQueue) => {
      // Before it takes a connection.
      const place = expected.ownerId === undefined ? undefined : enter(expected.ownerId);
      const makeTx = (session: Session) => new AloneTx(session, enter, expected, place);
      const commit = timings.wait((connection: Connection) =>
        commitWork(connection, { work, makeTx, onCommit }, changes),
      );
      try {
        return await connections.use(commit);
      } finally {
        place?.leave();
      }
    };
    /** Whatever was expected wrongly is not expected again. */
    const isRetryable = (error: unknown) => {
      const isWrong = expected.plan !== undefined && isDataError(error);
      expected = {};
      return isWrong || isLostRace(error);
    };
    return await withRetry(() => queue.run(attempt), isRetryable, meter.recordRetry, attemptsMade);
  }

  const addToGroup = createCommitGroups({
    async run(units, { skipsHeld }) {
      const outcome = await shareConnection(connections, units, async (connection) => {
        await changes.prepare(connection);
        return await runShared(connection, units, { changes, skipsHeld });
      });
      if (outcome.endings.some(({ kind }) => kind === "apart" || kind === "again")) meter.recordRetry();
      if (outcome.times) {
        timings.commit(outcome.times);
        meter.groups.observe(outcome.endings.filter(({ kind }) => kind === "done").length);
        prune();
      }
      return outcome;
    },
  });

  function runTogether<T>(
    work: (tx: WriteTx) => Promise<T>,
    ownerId: string,
    { observe, plan }: TransactionOptions,
  ): Promise<T> {
    const askedAt = performance.now();
    return new Promise((resolve, reject) => {
      addToGroup({
        ownerId,
        plan,
        work,
        timesUndone: 0,
        askedAt,
        settle(ending, { begunAt, times }) {
          const waitMs = begunAt - askedAt;
          timings.waited(waitMs);
          if (ending.kind === "failed") return reject(ending.error);
          const { runMs, value } = ending;
          observe?.({ waitMs, runMs, commitMs: times ? times.committedAt - begunAt - runMs : 0 });
          resolve(value as T);
        },
        async runApart() {
          await runAlone(work, { observe }, { askedAt, attemptsMade: 1 }).then(resolve, reject);
        },
      });
    });
  }

  return async (work, options = {}) => {
    const { ownerId, isShared = true } = options;
    return ownerId !== undefined && isShared
      ? await runTogether(work, ownerId, options)
      : await runAlone(work, options);
  };
}
