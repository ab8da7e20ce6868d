// Plaintext lives as long as it is used.
import assert from "node:assert/strict";
import { test } from "node:test";
import { wiped } from "./value.ts";

test("bytes are complete during their use and wiped afterwards, even when it fails", async () => {
  const failure = new Error("refused");
  const uses: readonly ((bytes: Buffer) => unknown)[] = [
    (bytes) => bytes.toString(),
    async (bytes) => bytes.toString(),
    () => {
      throw failure;
    },
    () => Promise.reject(failure),
  ];
  for (const use of uses) {
    const bytes = Buffer.from("plaintext");
    const outcome = await wiped(bytes, use).catch((error: unknown) => error);
    assert.ok(outcome === "plaintext" || outcome === failure);
    assert.deepEqual(bytes, Buffer.alloc(9));
  }
});
