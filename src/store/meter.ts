// What a store counts of itself.
import { Metrics } from "../kernel/telemetry/metrics.ts";
import type { Counter, Histogram } from "../kernel/telemetry/metrics.ts";
import { STORE_TROUBLES } from "./database.ts";
import type { StoreTrouble } from "./database.ts";

export interface StoreMeter {
  readonly reads: Histogram;
  readonly waits: Histogram;
  readonly transactions: Histogram;
  readonly commits: Histogram;
  readonly groups: Histogram;
  noteRetry(): void;
  noteFailure(trouble: StoreTrouble): void;
}

/** Without metrics nobody reads what it counts. */
export function createStoreMeter(metrics = new Metrics()): StoreMeter {
  const retries = metrics.counter("storeRetries");
  const failures = new Map<StoreTrouble, Counter>(
    STORE_TROUBLES.map((reason) => [reason, metrics.counter("storeFailures", { reason })]),
  );
  return {
    reads: metrics.histogram("storeReadDuration"),
    waits: metrics.histogram("storeWaitDuration"),
    transactions: metrics.histogram("storeTransactionDuration"),
    commits: metrics.histogram("storeCommitDuration"),
    groups: metrics.histogram("storeGroupSize"),
    noteRetry: () => retries.add(),
    noteFailure: (trouble) => failures.get(trouble)?.add(),
  };
}
