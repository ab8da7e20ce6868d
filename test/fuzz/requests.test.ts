// More than 10 000 requests made from openapi.json, over both engines: good ones, nearly good ones and hostile ones. No
// 5xx, no hang, no response but those that the document promises, and nothing stored that can't be read back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import { OPERATION_BY_ID } from "./document.ts";
import { FUZZ_SETTINGS, Session } from "./session.ts";

const REQUESTS = ENGINE === "sqlite" ? 7_000 : 3_500;
const SEED = 20_261_121;
/** Below that the requests would say little of what is stored. */
const LEAST_SUCCESSES = 0.2;
/** Of all operations, in how many at least one request succeeded: with half the requests fewer come to what others have to make first. */
const LEAST_REACHED = ENGINE === "sqlite" ? 0.75 : 0.6;

const api = await startOwnApp(FUZZ_SETTINGS);

test(`${REQUESTS} requests are answered as openapi.json says, and what they stored is read back`, async (t) => {
  const { requests, reads, successes, failure } = await new Session(api).run(SEED, REQUESTS);
  if (failure !== null) assert.fail(failure);
  assert.equal(requests, REQUESTS);
  const succeeded = [...successes.values()].reduce((sum, times) => sum + times, 0);
  t.diagnostic(`${requests} requests, ${succeeded} of which succeeded; ${reads} reads of what was stored`);
  assert.ok(succeeded > requests * LEAST_SUCCESSES, `only ${succeeded} of ${requests} requests succeeded`);
  const operations = [...OPERATION_BY_ID.values()].filter(({ id, canonicalId }) => id === canonicalId);
  const missed = operations.filter(({ id }) => !successes.has(id)).map(({ id }) => id);
  t.diagnostic(`of ${operations.length} operations, none of these: ${missed.join(", ")}`);
  assert.ok(missed.length <= operations.length * (1 - LEAST_REACHED), `no success: ${missed.join(", ")}`);
});
