// Requests that are read late because earlier ones took long: a request that has waited too long is refused.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import { exchange, listen } from "./raw-connection.ts";

const { app, admin } = await startOwnApp();
const port = await listen(app);

/** As if authenticating the first caller had taken this much of the thread's time. */
function delayFirst(ms: number): void {
  const { now } = performance;
  let passed = 0;
  mock.method(performance, "now", () => now.call(performance) + passed);
  const runner = app.runner as { findCaller: typeof app.runner.findCaller };
  const { findCaller } = runner;
  runner.findCaller = (...of) => {
    passed = ms;
    return findCaller(...of);
  };
}

test("a request that waited behind another one on its connection is refused", async () => {
  delayFirst(6_000);
  const head = `GET /v2/user HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.token}\r\n`;
  const responses = await exchange(port, `${head}\r\n${head}Connection: close\r\n\r\n`);
  assert.deepEqual(responses.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 503"]);
  assert.match(responses, /"code":"overloaded"/);
});
