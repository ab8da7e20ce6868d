import assert from "node:assert/strict";
import { test } from "node:test";
import { Metrics } from "../kernel/telemetry/metrics.ts";
import { createMetricsPage } from "./metrics-page.ts";

test("requests during a rendering share its page, and a later request gets another one", async () => {
  const metrics = new Metrics();
  let reads = 0;
  metrics.gauge("openStreams", () => ++reads);
  const { render } = createMetricsPage(metrics);
  const pages = await Promise.all(Array.from({ length: 100 }, render));
  assert.deepEqual([reads, new Set(pages).size], [1, 1]);
  await render();
  assert.equal(reads, 2);
});
