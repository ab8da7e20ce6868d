// Transactions that write: those of requests whose owner is known share one with others, and all others have one of their own.
import { withRetry } from "../database.ts";
import type { Database, TransactionOptions, WriteTx } from "../database.ts";
import type { SqlParams, Statement } from "../../kernel/tx.ts";
import type { StoreMeter } from "../meter.ts";
import { createChangeRecorder, schedulePruning } from "./changed-owners.ts";
import { BatchedSession } from "./batched-session.ts";
import type { ChangeRecorder } from "./changed-owners.ts";
import { createCommitGroups } from "./commit-groups.ts";
import { isLostRace } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./pool.ts";
import { createOwnerQueue } from "./owner-queue.ts";
import type { EnterQueue } from "./owner-queue.ts";
import { PostgresTx } from "./postgres-tx.ts";
import type { Session } from "./postgres-tx.ts";
import { runShared } from "./shared-transaction.ts";
import type { SharedOutcome, Unit } from "./shared-transaction.ts";
import { createTimings } from "./timings.ts";
import type { TransactionTimes } from "./timings.ts";

/** A transaction of its own. It waits for the lock of an owner in a place of the owner's queue. */
class AloneTx extends PostgresTx {
  readonly #enter: EnterQueue;
  readonly #locked = new Set<string>();

  constructor(session: Session, enter: EnterQueue) {
    super(session);
    this.#enter = enter;
  }

  override async lockOwner(ownerId: string): Promise<boolean> {
    return await this.#inPlace(ownerId, () => super.lockOwner(ownerId));
  }

  override async one(statement: Statement, params: SqlParams): Promise<unknown> {
    if (!statement.locksOwner) return await super.one(statement, params);
    return await this.#inPlace(params["ownerId"] as string, () => super.one(statement, params));
  }

  async #inPlace<T>(ownerId: string, lock: () => Promise<T>): Promise<T> {
    if (this.#locked.has(ownerId)) return await lock();
    const place = this.#enter(ownerId);
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
  makeTx(session: Session): PostgresTx;
  onCommit(times: TransactionTimes): void;
}

async function commitWork<T>(
  connection: Connection,
  { work, makeTx, onCommit }: Commit<T>,
  changes: ChangeRecorder,
): Promise<T> {
  const begunAt = performance.now();
  let result: T;
  try {
    await changes.prepare(connection);
    const session = new BatchedSession(connection);
    await session.query({ text: "BEGIN" });
    const tx = makeTx(session);
    result = await work(tx);
    await changes.record(session, tx.changedOwners());
  } catch (error) {
    await connection.rollback();
    throw error;
  }
  const doneAt = performance.now();
  await connection.commit();
  onCommit({ begunAt, doneAt, committedAt: performance.now() });
  return result;
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
    observe: TransactionOptions["observe"],
    { askedAt = performance.now(), attemptsMade = 0 } = {},
  ): Promise<T> {
    const onCommit = (times: TransactionTimes) => {
      timings.commit(times);
      meter.groups.observe(1);
      prune();
      const { begunAt, doneAt, committedAt } = times;
      observe?.({ waitMs: begunAt - askedAt, runMs: doneAt - begunAt, commitMs: committedAt - doneAt });
    };
    const attempt = (enter: EnterQueue) => {
      const makeTx = (session: Session) => new AloneTx(session, enter);
      return connections.use(timings.wait((connection) => commitWork(connection, { work, makeTx, onCommit }, changes)));
    };
    return await withRetry(() => queue.run(attempt), isLostRace, meter.noteRetry, attemptsMade);
  }

  const addToGroup = createCommitGroups({
    async run(units, { skipsHeld }) {
      const outcome = await shareConnection(connections, units, async (connection) => {
        await changes.prepare(connection);
        return await runShared(connection, units, { changes, skipsHeld });
      });
      if (outcome.endings.some(({ kind }) => kind === "apart" || kind === "again")) meter.noteRetry();
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
    observe: TransactionOptions["observe"],
  ): Promise<T> {
    const askedAt = performance.now();
    return new Promise((resolve, reject) => {
      addToGroup({
        ownerId,
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
          await runAlone(work, observe, { askedAt, attemptsMade: 1 }).then(resolve, reject);
        },
      });
    });
  }

  return async (work, { observe, ownerId } = {}) =>
    ownerId === undefined ? await runAlone(work, observe) : await runTogether(work, ownerId, observe);
}
