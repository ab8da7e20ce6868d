// Metrics in the Prometheus text format. The library is loaded by whoever reads them first: loading it would cost a tenth
// of the time to start.
import type { Registry } from "prom-client";
import type { Metrics } from "../kernel/telemetry/metrics.ts";
import { singleFlight } from "../kernel/scheduling/single-flight.ts";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export interface MetricsPage {
  /** Reeve's own, and those of the process. */
  render(): Promise<string>;
}

export function createMetricsPage(metrics: Metrics): MetricsPage {
  let registry: Promise<Registry> | undefined;

  return {
    // It takes a hundred times as long as most requests, and whoever asks need not be known.
    render: singleFlight(async () => {
      registry ??= import("./metrics-registry.ts").then(({ createRegistry }) => createRegistry(metrics));
      return await (await registry).metrics();
    }),
  };
}
