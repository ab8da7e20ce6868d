// What the sessions of PostgreSQL take, as metrics.
import type { StoreMeter } from "../meter.ts";

/** Timestamps of a transaction, of `performance.now()`. */
export interface TransactionTimes {
  readonly begunAt: number;
  readonly doneAt: number;
  readonly committedAt: number;
}

/** Measures what sessions do. */
export function createTimings(meter: StoreMeter) {
  const waited = (ms: number) => meter.waits.observe(ms / 1_000);
  return {
    waited,
    /** Times the wait for a connection. */
    wait<C, T>(work: (connection: C) => Promise<T>): (connection: C) => Promise<T> {
      const askedAt = performance.now();
      return (connection) => {
        waited(performance.now() - askedAt);
        return work(connection);
      };
    },
    async read<T>(reading: Promise<T>): Promise<T> {
      const startedAt = performance.now();
      const result = await reading;
      meter.reads.observe((performance.now() - startedAt) / 1_000);
      return result;
    },
    commit({ begunAt, doneAt, committedAt }: TransactionTimes): void {
      meter.transactions.observe((committedAt - begunAt) / 1_000);
      meter.commits.observe((committedAt - doneAt) / 1_000);
    },
  };
}
