// Counting, for whoever has something to count: a few array writes, and nothing else until somebody reads.
import { METRICS } from "./metric-list.ts";
import type { CounterId, GaugeId, HistogramId, Metric, MetricId } from "./metric-list.ts";
import type { Awaitable } from "../tx.ts";

export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** A number under its full name, as the text format has it. */
export interface NamedSample extends Sample {
  readonly metricName: string;
}

export class Counter {
  value = 0;

  add(count = 1): void {
    this.value += count;
  }
}

export class Histogram {
  readonly #bounds: readonly number[];
  /** Observations per bucket, not cumulated; the last one is for what lies above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0).concat(0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
  }

  observeMs(ms: number): void {
    this.observe(ms / 1000);
  }

  *samples(name: string, labels: Labels): Iterable<NamedSample> {
    let total = 0;
    for (const [index, count] of this.#counts.entries()) {
      total += count;
      yield { metricName: `${name}_bucket`, labels: { le: this.#bounds[index] ?? "+Inf", ...labels }, value: total };
    }
    yield { metricName: `${name}_sum`, labels, value: this.#sum };
    yield { metricName: `${name}_count`, labels, value: total };
  }
}

type Read = () => Awaitable<readonly Sample[]>;

/** One process' metrics. */
export class Metrics {
  readonly #kept = new Map<MetricId, { readonly labels: Labels; readonly series: Counter | Histogram }[]>();
  readonly #reads = new Map<MetricId, Read[]>();

  /** A series of its own; whoever counts keeps it. */
  counter(id: CounterId, labels: Labels = {}): Counter {
    return this.#keep(id, labels, new Counter());
  }

  /** A series of its own; whoever observes keeps it. */
  histogram(id: HistogramId, labels: Labels = {}): Histogram {
    return this.#keep(id, labels, new Histogram(METRICS[id].buckets));
  }

  /** What is read when somebody asks. */
  read(id: GaugeId | CounterId, read: Read): void {
    this.#reads.set(id, [...(this.#reads.get(id) ?? []), read]);
  }

  /** As `read`, of a number that has no labels. */
  gauge(id: GaugeId, read: () => number): void {
    this.read(id, () => [{ labels: {}, value: read() }]);
  }

  async collect(id: MetricId): Promise<readonly (Sample | NamedSample)[]> {
    const { name }: Metric = METRICS[id];
    const read = await Promise.all((this.#reads.get(id) ?? []).map(async (one) => await one()));
    const kept = (this.#kept.get(id) ?? []).flatMap(({ labels, series }) =>
      series instanceof Counter ? [{ labels, value: series.value }] : [...series.samples(name, labels)],
    );
    return [...kept, ...read.flat()];
  }

  #keep<S extends Counter | Histogram>(id: MetricId, labels: Labels, series: S): S {
    const present = this.#kept.get(id) ?? [];
    this.#kept.set(id, [...present, { labels, series }]);
    return series;
  }
}
