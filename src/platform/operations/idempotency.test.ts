// The record of a request with an idempotency key reveals nothing to a reader of the database.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { readIdempotencyKey } from "./idempotency.ts";

const FINGERPRINT = 'POST /v2/secrets\n{"name":"pin","value":"1234"}';
const stored = readIdempotencyKey("key-1", "rvt_a", FINGERPRINT);

test("the same request of the same caller is recognized", () => {
  assert.deepEqual(readIdempotencyKey("key-1", "rvt_a", FINGERPRINT), stored);
  assert.notEqual(
    readIdempotencyKey("key-1", "rvt_a", FINGERPRINT.replace("1234", "1235")).requestHash,
    stored.requestHash,
  );
});

test("a guessed body can't be checked against the record without the caller's credential", () => {
  assert.notEqual(readIdempotencyKey("key-1", "rvt_b", FINGERPRINT).requestHash, stored.requestHash);
  for (const algorithm of ["sha256", "sha1", "md5"]) {
    assert.notEqual(stored.requestHash, hash(algorithm, FINGERPRINT, "hex"));
  }
});

test("the key that seals the response is not stored", () => {
  const { sealingKey, ...columns } = stored;
  assert.ok(!Object.values(columns).includes(Buffer.from(sealingKey).toString("hex")));
  for (const [header, credential] of [
    ["key-2", "rvt_a"],
    ["key-1", "rvt_b"],
  ] as const) {
    assert.notDeepEqual(readIdempotencyKey(header, credential, FINGERPRINT).sealingKey, sealingKey);
  }
});

test("a key is 1 to 255 visible ASCII characters", () => {
  for (const header of ["a", "!~", "k".repeat(255)]) readIdempotencyKey(header, "rvt_a", FINGERPRINT);
  for (const header of ["", "a b", "ä", "a\t", "k".repeat(256)]) {
    assert.throws(() => readIdempotencyKey(header, "rvt_a", FINGERPRINT), {
      code: "bad_request",
      message: "Idempotency-Key: expected 1 to 255 visible ASCII characters",
    });
  }
});
