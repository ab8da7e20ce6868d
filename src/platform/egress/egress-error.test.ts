import assert from "node:assert/strict";
import { test } from "node:test";
import { EgressError, explainEgressFailure } from "./egress-error.ts";

test("the message of a failure is short, and text that every database takes", () => {
  // It is cut in the middle of the last character.
  const said = `${"a".repeat(998)}\0\u{1f600}`;
  const message = `${"a".repeat(998)}\uFFFD\uFFFD`;
  assert.deepEqual(explainEgressFailure(new Error(said), true), { stage: "response", message });
  assert.deepEqual(explainEgressFailure(new EgressError("tls", said), false), { stage: "tls", message });
});
