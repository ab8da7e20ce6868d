// Metrics in the Prometheus text format. The library is loaded by whoever reads them first: loading it would cost a tenth
// of the time to start.
import type { Registry } from "prom-client";
import { METRICS } from "../kernel/metric-list.ts";
import type { Metric, MetricId } from "../kernel/metric-list.ts";
import type { Metrics } from "../kernel/metrics.ts";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export interface MetricsPage {
  /** Reeve's own, and those of the process. */
  render(): Promise<string>;
}

export function createMetricsPage(metrics: Metrics): MetricsPage {
  let registry: Promise<Registry> | undefined;

  async function createRegistry(): Promise<Registry> {
    const { Registry: RegistryClass, collectDefaultMetrics } = await import("prom-client");
    const created = new RegistryClass();
    collectDefaultMetrics({ register: created });
    for (const [id, { name, help, type }] of Object.entries(METRICS) as [MetricId, Metric][]) {
      const get = async () => ({ name, help, type, aggregator: "sum", values: await metrics.collect(id) });
      created.registerMetric({ name, get } as never);
    }
    return created;
  }

  return {
    async render() {
      registry ??= createRegistry();
      return await (await registry).metrics();
    },
  };
}
