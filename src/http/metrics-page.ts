// Metrics in the Prometheus text format. The library is loaded by whoever reads them first: loading it would cost a tenth
// of the time to start.
import type { Registry } from "prom-client";
import { METRICS } from "../kernel/metric-list.ts";
import type { Metric, MetricId } from "../kernel/metric-list.ts";
import type { Metrics } from "../kernel/metrics.ts";
import { singly } from "../kernel/singly.ts";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Gauges of the library that are called like counters. The same by kind, under good names, add up to them. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

export interface MetricsPage {
  /** Reeve's own, and those of the process. */
  render(): Promise<string>;
}

async function createRegistry(metrics: Metrics): Promise<Registry> {
  const { Registry, collectDefaultMetrics } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  for (const [id, { name, help, type }] of Object.entries(METRICS) as [MetricId, Metric][]) {
    const get = async () => ({ name, help, type, aggregator: "sum", values: await metrics.collect(id) });
    registry.registerMetric({ name, get } as never);
  }
  return registry;
}

export function createMetricsPage(metrics: Metrics): MetricsPage {
  let registry: Promise<Registry> | undefined;

  return {
    // It takes a hundred times as long as most requests, and whoever asks need not be known.
    render: singly(async () => {
      registry ??= createRegistry(metrics);
      return await (await registry).metrics();
    }),
  };
}
