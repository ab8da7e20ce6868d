// The files of auditors: checkpoints in every accepted format, and public keys.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readKeptCheckpoints, readTrustedKeys } from "../../src/cli/bodies/checkpoint-files.ts";
import { publicKeyText } from "../../src/events/checkpoints/signature.ts";
import type { ChainedEvent } from "../../src/events/events/verify/verify-store.ts";
import { createSigner, folder, makeChain, writeNew } from "./chains.ts";

const signer = createSigner();
const [first, second] = makeChain(2).map(signer.sign);
assert.ok(first && second);

describe("a file of checkpoints", () => {
  const both = [first, second];
  for (const [what, text] of [
    ["lines", `${JSON.stringify(first)}\n${JSON.stringify(second)}\n`],
    ["responses as lines", `${JSON.stringify({ checkpoint: first })}\n\n${JSON.stringify({ checkpoint: second })}`],
    ["a list", JSON.stringify(both, null, 2)],
    ["a page of the API", JSON.stringify({ checkpoints: both, pagination: { count: 2 } })],
  ] as const) {
    it(`is read: ${what}`, async () => {
      assert.deepEqual(await readKeptCheckpoints(writeNew(text)), both);
    });
  }

  const { signature: _, ...unsigned } = first;
  for (const [what, value, message] of [
    ["empty", "", /: there are no checkpoints in it$/],
    ["an empty list", "[]", /: there are no checkpoints in it$/],
    ["no JSON", `${JSON.stringify(first)}\nhunter2`, /, line 2: expected JSON$/],
    ["something else", '{"events":[]}', /, number 1: checkpoint\.\w+: is required: a string$/],
    [
      "no signature",
      JSON.stringify([first, unsigned]),
      /, number 2: checkpoint\.signature: is required: 64 bytes as base64$/,
    ],
    [
      "no hash",
      JSON.stringify({ ...first, hash: "x" }),
      /, number 1: checkpoint\.hash: expected 64 digits of lower-case hex$/,
    ],
    ["a changed hash", JSON.stringify({ ...first, hash: "0".repeat(64) }), /, number 1: it does not fit its signature/],
    ["a changed time", JSON.stringify({ ...first, createdAt: 5 }), /, number 1: it does not fit its signature/],
    [
      "another key",
      JSON.stringify({ ...first, publicKey: createSigner().publicKey }),
      /, number 1: its keyId is not that of its publicKey$/,
    ],
  ] as const) {
    it(`is refused: ${what}`, async () => {
      await assert.rejects(readKeptCheckpoints(writeNew(value)), { name: "Failure", exit: "refused", message });
    });
  }
});

describe("a public key", () => {
  it("is read as text or from a file, as PEM or base64", async () => {
    const der = Buffer.from(signer.publicKey, "base64");
    const raw = der.subarray(-32);
    const given = [signer.publicKey, raw.toString("base64"), writeNew(signer.pem), writeNew(`${signer.publicKey}\n`)];
    for (const key of await readTrustedKeys(given)) assert.equal(publicKeyText(key), signer.publicKey);
    assert.equal((await readTrustedKeys([])).length, 0);
  });

  it("is refused when it is none", async () => {
    await assert.rejects(readTrustedKeys([writeNew("hunter2")]), /^Failure: --public-key: there is no Ed25519 key in /);
    await assert.rejects(
      readTrustedKeys([`${folder}/absent`]),
      /^Failure: cannot read .*absent: there is no such file/,
    );
    const other = makeChain(1)[0] as ChainedEvent;
    await assert.rejects(readTrustedKeys([writeNew(other.hash)]), /there is no Ed25519 key in/);
  });
});
