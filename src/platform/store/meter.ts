// The metrics of a store.
import type { CounterSeries, HistogramSeries, Metrics } from "../kernel/telemetry/metrics.ts";
import { STORE_FAILURE_REASONS } from "./database.ts";
import type { StoreFailureReason } from "./database.ts";

export interface StoreMeter {
  readonly reads: HistogramSeries;
  readonly waits: HistogramSeries;
  readonly transactions: HistogramSeries;
  readonly commits: HistogramSeries;
  readonly groups: HistogramSeries;
  recordRetry(): void;
  recordFailure(reason: StoreFailureReason): void;
}

const UNREAD: HistogramSeries = { observe: () => undefined };

/** Without metrics nothing is counted: the writer thread and most commands do not load prom-client. */
export function createStoreMeter(metrics: Metrics | null = null): StoreMeter {
  const failures = new Map<StoreFailureReason, CounterSeries | undefined>(
    STORE_FAILURE_REASONS.map((reason) => [reason, metrics?.counter("storeFailures", { reason })]),
  );
  const retries = metrics?.counter("storeRetries");
  return {
    reads: metrics?.histogram("storeReadDuration") ?? UNREAD,
    waits: metrics?.histogram("storeWaitDuration") ?? UNREAD,
    transactions: metrics?.histogram("storeTransactionDuration") ?? UNREAD,
    commits: metrics?.histogram("storeCommitDuration") ?? UNREAD,
    groups: metrics?.histogram("storeGroupSize") ?? UNREAD,
    recordRetry: () => retries?.inc(),
    recordFailure: (reason) => failures.get(reason)?.inc(),
  };
}
