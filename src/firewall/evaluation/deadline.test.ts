// An evaluation ends at a deadline.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { FLAGS, FOREVER_MS, mixedUrl, openSlow } from "../../../test/resources/slow-rules.ts";

test("an evaluation that takes too long is aborted with an error, and the next one runs", async () => {
  const client = await startOwnApp(FLAGS, undefined, { evaluation: { deadlineMs: 500, maxWaitMs: FOREVER_MS } });
  const { evaluate } = await openSlow(client);
  const { status, body } = await evaluate(Array.from({ length: 400 }, (_, index) => ({ url: mixedUrl(index) })));
  assert.deepEqual([status, body.error.code, body.error.field], [400, "firewall_too_costly", "body.requests"]);
  assert.match(body.error.message, /^requests: expected requests that take at most 0\.5 s to evaluate: try fewer/);
  assert.equal((await evaluate([{ url: "/" }])).status, 200);
});
