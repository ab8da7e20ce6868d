// Requests by operation and status.
import type { Histogram, Metrics } from "../../kernel/telemetry/metrics.ts";

/** The requests of one operation. */
export class OperationMetrics {
  readonly #metrics: Metrics;
  readonly #operation: string;
  readonly #series: { readonly status: number; readonly histogram: Histogram }[] = [];

  constructor(metrics: Metrics, operation: string) {
    this.#metrics = metrics;
    this.#operation = operation;
  }

  count(status: number, durationMs: number): void {
    this.#histogramOf(status).observeMs(durationMs);
  }

  #histogramOf(status: number): Histogram {
    // An operation knows a handful of statuses, and nearly every answer has the first of them.
    for (const series of this.#series) if (series.status === status) return series.histogram;
    const histogram = this.#metrics.histogram("requestDuration", { operation: this.#operation, status });
    this.#series.push({ status, histogram });
    return histogram;
  }
}
