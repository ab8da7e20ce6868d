// Whatever bytes go in come out, along every way that a value takes.
import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { test } from "node:test";
import fc from "fast-check";
import { startTestApp, uniqueName } from "../../../test/harness/test-app.ts";
import { openVault } from "../../../test/resources/secrets.ts";

const client = await startTestApp();
const vault = openVault(client, (await client.createUser()).token);

const SHORT = 4_096;
const MAX_BYTES = 65_536;
// Of a property with its search for a smaller counterexample.
const TIME_LIMIT_MS = 30_000;

/** The ways in which these bytes may be sent, as bodies; the same bodies come back. */
function bodiesOf(bytes: Buffer): { readonly value: string; readonly encoding: string }[] {
  const base64 = { value: bytes.toString("base64"), encoding: "base64" };
  return isUtf8(bytes) && !bytes.includes(0) ? [base64, { value: bytes.toString("utf8"), encoding: "utf8" }] : [base64];
}

async function revealed(path: string) {
  const { status, body, text } = await vault.read(path, "decrypt=true");
  assert.equal(status, 200, text);
  return { value: body.value, encoding: body.encoding };
}

/** Sends the bytes through creating, replacing, restoring and revealing. */
async function passThrough(bytes: Buffer): Promise<void> {
  for (const body of bodiesOf(bytes)) {
    const { uid } = await vault.add(uniqueName("s"), body);
    assert.deepEqual(await revealed(uid), body);
    await vault.put(uid, { value: "between" });
    await vault.put(uid, body);
    assert.deepEqual(await revealed(uid), body);
    await vault.put(uid, { value: "YmV0d2Vlbg==", encoding: "base64" });
    const restored = await vault.call("POST", `/${uid}/versions/1/restore`);
    assert.equal(restored.status, 200, restored.text);
    for (const path of [uid, `${uid}/versions/1`, `${uid}/versions/3`, `${uid}/versions/5`]) {
      assert.deepEqual(await revealed(path), body);
    }
    const { versions } = (await vault.call("GET", `/${uid}/versions`)).body;
    assert.equal(versions[0].size, bytes.length);
    await vault.remove(uid);
    await vault.restore(uid);
    assert.deepEqual(await revealed(uid), body);
    await vault.remove(uid, "permanent=true");
  }
}

/** Texts that something on the way might take for its own. */
const delicate = fc
  .constantFrom("\ufeffmark", "\r\nline\r", "e\u0301", "\u2028", " space ", "%00", '{"a":1}', "\u007f\u0085")
  .map((text) => Buffer.from(text, "utf8"));

const bytesUpTo = (maxLength: number) =>
  fc.uint8Array({ maxLength, size: "max" }).map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
const textBytes = (maxLength: number) =>
  fc.string({ unit: "binary", maxLength, size: "max" }).map((text) => Buffer.from(text, "utf8"));

test("any bytes are returned as they were sent", async () => {
  const bytes = fc.oneof(bytesUpTo(SHORT), textBytes(SHORT / 4), bytesUpTo(4), textBytes(4), delicate);
  await fc.assert(fc.asyncProperty(bytes, passThrough), { numRuns: 25, interruptAfterTimeLimit: TIME_LIMIT_MS });
});

test("a value of the largest size is returned as it was sent", async () => {
  const full = fc
    .uint8Array({ minLength: MAX_BYTES, maxLength: MAX_BYTES, size: "max" })
    .map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  await fc.assert(fc.asyncProperty(full, passThrough), { numRuns: 2, endOnFailure: true });
  await passThrough(Buffer.from("\u{10ffff}".repeat(MAX_BYTES / 4)));
});
