// Requests by operation and status, with a latency histogram. Counting is a few array writes, and the metrics
// library is only loaded by whoever reads them: loading it would cost a tenth of the time to start.
import type { Registry } from "prom-client";

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const NAME = "reeve_http_request_duration_seconds";
const STREAMS_NAME = "reeve_http_open_streams";

interface Series {
  readonly status: number;
  /** Requests per bucket, not cumulated; the last one is for what took longer than all bounds. */
  readonly counts: number[];
  sumSeconds: number;
}

/** The requests of one operation. */
export class OperationMetrics {
  readonly operation: string;
  readonly #series: Series[] = [];

  constructor(operation: string) {
    this.operation = operation;
  }

  count(status: number, durationMs: number): void {
    const seconds = durationMs / 1000;
    const series = this.#seriesOf(status);
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.sumSeconds += seconds;
  }

  #seriesOf(status: number): Series {
    // An operation knows a handful of statuses, and nearly every answer has the first of them.
    for (const series of this.#series) if (series.status === status) return series;
    const series = { status, counts: BUCKETS.map(() => 0).concat(0), sumSeconds: 0 };
    this.#series.push(series);
    return series;
  }

  *values() {
    for (const { status, counts, sumSeconds } of this.#series) {
      const labels = { operation: this.operation, status };
      let total = 0;
      for (const [index, count] of counts.entries()) {
        total += count;
        yield { metricName: `${NAME}_bucket`, labels: { le: BUCKETS[index] ?? "+Inf", ...labels }, value: total };
      }
      yield { metricName: `${NAME}_sum`, labels, value: sumSeconds };
      yield { metricName: `${NAME}_count`, labels, value: total };
    }
  }
}

export interface RequestMetrics {
  operation(id: string): OperationMetrics;
  /** Everything in the Prometheus text format. */
  render(): Promise<string>;
}

/** `countStreams` answers how many answers are being sent in parts. */
export function createRequestMetrics(countStreams: () => number): RequestMetrics {
  const operations = new Map<string, OperationMetrics>();
  let registry: Promise<Registry> | undefined;

  async function createRegistry(): Promise<Registry> {
    const { Registry: RegistryClass, collectDefaultMetrics } = await import("prom-client");
    const created = new RegistryClass();
    collectDefaultMetrics({ register: created });
    const histogram = {
      name: NAME,
      get: async () => ({
        name: NAME,
        help: "Time from the request's headers to the end of the answer, by operation and status.",
        type: "histogram",
        aggregator: "sum",
        values: [...operations.values()].flatMap((operation) => [...operation.values()]),
      }),
    };
    created.registerMetric(histogram as never);
    const streams = {
      name: STREAMS_NAME,
      get: async () => ({
        name: STREAMS_NAME,
        help: "Exports and live streams that are being sent.",
        type: "gauge",
        aggregator: "sum",
        values: [{ value: countStreams(), labels: {} }],
      }),
    };
    created.registerMetric(streams as never);
    return created;
  }

  return {
    operation(id) {
      const known = operations.get(id);
      if (known) return known;
      const created = new OperationMetrics(id);
      operations.set(id, created);
      return created;
    },
    async render() {
      registry ??= createRegistry();
      return await (await registry).metrics();
    },
  };
}
