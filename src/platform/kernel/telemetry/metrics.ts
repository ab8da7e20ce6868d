// The metrics of one process, in a registry of prom-client.
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { METRICS } from "./metric-list.ts";
import type { CounterId, GaugeId, HistogramId, Metric, MetricId } from "./metric-list.ts";
import type { Awaitable } from "../tx.ts";

export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export type CounterSeries = Pick<Counter.Internal, "inc">;
export type HistogramSeries = Pick<Histogram.Internal<string>, "observe">;

type Read = () => Awaitable<readonly Sample[]>;

export class Metrics {
  readonly registry = new Registry();
  readonly #reads = new Map<MetricId, Read>();

  constructor() {
    for (const [id, metric] of Object.entries(METRICS) as [MetricId, Metric][]) {
      this.registry.registerMetric(this.#create(id, metric));
    }
  }

  /** One series, exported from 0 on. */
  counter(id: CounterId, labels: Labels = {}): CounterSeries {
    const series = (this.registry.getSingleMetric(METRICS[id].name) as Counter).labels(labels);
    series.inc(0);
    return series;
  }

  /** All series of a histogram, each exported from its first observation on. */
  histograms(id: HistogramId): Histogram {
    return this.registry.getSingleMetric(METRICS[id].name) as Histogram;
  }

  /** One series, exported from 0 on. */
  histogram(id: HistogramId, labels: Labels = {}): HistogramSeries {
    const histogram = this.histograms(id);
    histogram.zero(labels);
    return histogram.labels(labels);
  }

  /** Reads the series of a gauge at each scrape. */
  read(id: GaugeId, read: Read): void {
    this.#reads.set(id, read);
  }

  /** As `read`, for one number without labels. */
  gauge(id: GaugeId, read: () => number): void {
    this.read(id, () => [{ labels: {}, value: read() }]);
  }

  #create(id: MetricId, { name, help, type, labels = [], buckets = [] }: Metric): Counter | Gauge | Histogram {
    const config = { name, help, labelNames: labels, registers: [] };
    if (type === "counter") return new Counter(config);
    if (type === "histogram") return new Histogram({ ...config, buckets: [...buckets] });
    const readSamples = async () => (await this.#reads.get(id)?.()) ?? [];
    return new Gauge({
      ...config,
      async collect() {
        const samples = await readSamples();
        this.reset();
        // For a gauge without labels, `reset` exports 0. `remove` leaves an unknown value out.
        if (labels.length === 0) this.remove();
        for (const sample of samples) this.set(sample.labels, sample.value);
      },
    });
  }
}
