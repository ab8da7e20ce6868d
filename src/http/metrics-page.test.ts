import assert from "node:assert/strict";
import { test } from "node:test";
import { Metrics } from "../kernel/telemetry/metrics.ts";
import { createMetricsPage } from "./metrics-page.ts";

test("whoever asks while the page is being made is given the same one, and whoever asks later another", async () => {
  const metrics = new Metrics();
  let reads = 0;
  metrics.gauge("openStreams", () => ++reads);
  const { render } = createMetricsPage(metrics);
  const pages = await Promise.all(Array.from({ length: 100 }, render));
  assert.deepEqual([reads, new Set(pages).size], [1, 1]);
  await render();
  assert.equal(reads, 2);
});
