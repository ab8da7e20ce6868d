// Metrics as prom-client has them.
import { Registry, collectDefaultMetrics } from "prom-client";
import { METRICS } from "../kernel/metric-list.ts";
import type { Metric, MetricId } from "../kernel/metric-list.ts";
import type { Metrics } from "../kernel/metrics.ts";

/** Reeve's own, and those of the process. */
export function createRegistry(metrics: Metrics): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const [id, { name, help, type }] of Object.entries(METRICS) as [MetricId, Metric][]) {
    const get = async () => ({ name, help, type, aggregator: "sum", values: await metrics.collect(id) });
    registry.registerMetric({ name, get } as never);
  }
  return registry;
}
