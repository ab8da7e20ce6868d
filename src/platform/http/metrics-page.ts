// Metrics in the Prometheus text format.
import { collectDefaultMetrics } from "prom-client";
import type { Metrics } from "../kernel/telemetry/metrics.ts";
import { singleFlight } from "../kernel/scheduling/single-flight.ts";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Gauges of the library with the names of counters. The same numbers by kind, under correct names, remain. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

export interface MetricsPage {
  /** Reeve's metrics and those of the process. */
  render(): Promise<string>;
}

export function createMetricsPage({ registry }: Metrics): MetricsPage {
  let isComplete = false;

  return {
    // Rendering takes a hundred times as long as most requests, and needs no credential.
    render: singleFlight(async () => {
      // Measuring the event loop wakes an idle process a hundred times a second, so it starts with the first scrape.
      if (!isComplete) {
        isComplete = true;
        collectDefaultMetrics({ register: registry });
        for (const name of MISNAMED) registry.removeSingleMetric(name);
      }
      return await registry.metrics();
    }),
  };
}
