import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBody } from "./decode-body.ts";
import { sampleBodies, warmUpBodies } from "./warm-up.ts";

test("the bodies that are read beforehand are of each kind, and have values", async () => {
  await warmUpBodies();
  for (const [contentType, body] of sampleBodies()) {
    const { values, problem } = decodeBody({ contentType, contentEncoding: undefined }, body);
    assert.deepEqual([contentType, problem], [contentType, null]);
    // More than the text as a whole, of which an unknown type has one.
    assert.ok(values.length >= 150, `${contentType}: ${values.length}`);
  }
});
