// What the dispatcher counts: attempts by what came of them, and how long events took to arrive.
import type { Metrics } from "../kernel/telemetry/metrics.ts";
import type { DueDelivery } from "./queue/delivery-store.ts";
import type { Made } from "./attempt.ts";

export interface DeliveryMetrics {
  note(delivery: DueDelivery, made: Made, now: number): void;
}

export function createDeliveryMetrics(metrics: Metrics): DeliveryMetrics {
  const attempts = {
    delivered: metrics.histogram("attemptDuration", { outcome: "delivered" }),
    pending: metrics.histogram("attemptDuration", { outcome: "retried" }),
    failed: metrics.histogram("attemptDuration", { outcome: "failed" }),
  };
  const lag = metrics.histogram("deliveryLag");
  return {
    note({ tries, created_at: createdAt }, { outcome, verdict }, now) {
      attempts[verdict.state].observe(outcome.durationMs / 1_000);
      if (verdict.state === "delivered" && tries === 0) lag.observe(Math.max(0, now - createdAt) / 1_000);
    },
  };
}
