// What bots publish: the forms that are read, and those that are refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readKeys, readNetworks } from "./bot-documents.ts";

const json = (value: unknown) => JSON.stringify(value);
const NOW = Date.UTC(2026, 10, 1);

test("networks are read in the form that search engines publish", () => {
  const prefixes = [{ ipv4Prefix: "203.0.113.7/24" }, { ipv6Prefix: "2001:DB8:0::/32", service: "x" }];
  const read = readNetworks(json({ creationTime: "2026-10-01T00:00:00", prefixes }));
  assert.deepEqual(read, ["203.0.113.0/24", "2001:db8::/32"]);
});

test("a document with one wrong entry is refused as a whole", () => {
  const good = { ipv4Prefix: "203.0.113.0/24" };
  for (const [text, expected] of [
    ["<html>", /expected JSON/],
    ["null", /expected a list prefixes/],
    [json({ prefixes: [] }), /1 to 4000/],
    [json({ prefixes: Array.from({ length: 4_001 }, () => good) }), /1 to 4000/],
    [json({ prefixes: [good, null] }), /expected objects/],
    [json({ prefixes: [good, {}] }), /ipv4Prefix or ipv6Prefix/],
    [json({ prefixes: [good, { ipv4Prefix: "everybody" }] }), /ipv4Prefix or ipv6Prefix/],
    [json({ prefixes: [good, { ipv4Prefix: "0.0.0.0/0" }] }), /expected at least \/8, got 0\.0\.0\.0\/0/],
    [json({ prefixes: [good, { ipv6Prefix: "2000::/3" }] }), /expected at least \/20/],
  ] as const) {
    assert.throws(() => readNetworks(text), expected, text.slice(0, 80));
  }
});

test("of a directory, Ed25519 keys are read that are valid now", () => {
  const x = "0g1xFRWdVlSOm1h92tZ4VFl7FWGtvRnTZ0PwuBdJuDU";
  const other = "v02owuOay4qEWYA4r-BZzdwy7ySHU8o1FESfuY4ICro";
  const key = { kty: "OKP", crv: "Ed25519", x, use: "sig" };
  const seconds = NOW / 1_000;
  const read = (...keys: object[]) => readKeys(json({ keys, purpose: "search" }), NOW);
  assert.deepEqual(read(key, { kty: "RSA", n: "AQAB", e: "AQAB" }, { ...key, x: other, exp: seconds + 1 }), [x, other]);
  assert.deepEqual(read(key, { ...key, x: other, exp: seconds }, { ...key, x: other, nbf: seconds + 1 }), [x]);
  assert.throws(() => read({ kty: "RSA", n: "AQAB", e: "AQAB" }), /expected an Ed25519 key that is valid now/);
  assert.throws(() => read({ ...key, x: "short" }));
  assert.throws(() => read(...Array.from({ length: 21 }, () => key)), /1 to 20/);
});
