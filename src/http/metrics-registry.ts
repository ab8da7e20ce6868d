// Metrics as prom-client has them. A module of its own: in a bundle, `import()` of a CommonJS package has no names.
import { Registry, collectDefaultMetrics } from "prom-client";
import { METRICS } from "../kernel/telemetry/metric-list.ts";
import type { Metric, MetricId } from "../kernel/telemetry/metric-list.ts";
import type { Metrics } from "../kernel/telemetry/metrics.ts";

/** Gauges of the library that are called like counters. The same by kind, under good names, add up to them. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** Reeve's own, and those of the process. */
export function createRegistry(metrics: Metrics): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  for (const [id, { name, help, type }] of Object.entries(METRICS) as [MetricId, Metric][]) {
    const get = async () => ({ name, help, type, aggregator: "sum", values: await metrics.collect(id) });
    registry.registerMetric({ name, get } as never);
  }
  return registry;
}
