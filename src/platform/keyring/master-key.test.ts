import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { KeyringError, parseMasterKey } from "./master-key.ts";

const bytes = Buffer.from("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "hex");

test("a key has one id in every notation, and it is the same for ever", () => {
  const ids = [
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("base64").replace("=", ""),
  ].map((text) => parseMasterKey(text, "here").id);
  // Stored beside every value: another fingerprint would make all stores look as if their key were missing.
  assert.deepEqual([...new Set(ids)], ["mk_9650c3f4ecc06958"]);
  assert.notEqual(parseMasterKey(randomBytes(32).toString("hex"), "here").id, ids[0]);
});

test("what is no key is refused by its source and length, and never shown", () => {
  const wrong = [
    "",
    "hunter2",
    bytes.toString("hex").slice(2),
    `${bytes.toString("hex")}00`,
    bytes.subarray(1).toString("base64"),
    Buffer.concat([bytes, bytes]).toString("base64"),
    `${bytes.toString("hex").slice(0, -1)}g`,
    // Readers of base64 skip what is none of it.
    `${bytes.toString("base64").slice(0, 20)}!${bytes.toString("base64").slice(20)}`,
    "0".repeat(64),
    Buffer.alloc(32, "x").toString("base64"),
  ];
  for (const text of wrong) {
    assert.throws(
      () => parseMasterKey(text, "REEVE_MASTER_KEY"),
      (error: Error) => {
        assert.ok(error instanceof KeyringError);
        assert.match(error.message, /^REEVE_MASTER_KEY: expected /);
        return text === "" || !error.message.includes(text);
      },
      text,
    );
  }
});
