import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Metrics } from "../kernel/telemetry/metrics.ts";
import { createOperatorServer } from "./operator-server.ts";

test("an unknown failure responds with an id, and the log has the failure under that id", async () => {
  const lines: { readonly err: Error; readonly requestId: string }[] = [];
  const server = createOperatorServer({
    logger: { info: () => undefined, error: (line: (typeof lines)[number]) => void lines.push(line) } as never,
    metrics: new Metrics(),
    findFailedChecks: () => Promise.reject(new Error("no such folder: /planted")),
    publicUrl: "https://reeve.example",
  });
  after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`);
  const text = await response.text();
  assert.equal(response.status, 500);
  const [line, ...more] = lines;
  assert.deepEqual(more, []);
  assert.match(line?.err.message ?? "", /planted/);
  assert.ok(!text.includes("planted"));
  assert.equal(JSON.parse(text).error.requestId, line?.requestId);

  assert.equal((await fetch(`http://127.0.0.1:${port}/elsewhere`)).status, 404);
  assert.equal(lines.length, 1);
});
