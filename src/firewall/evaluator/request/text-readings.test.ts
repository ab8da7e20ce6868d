import assert from "node:assert/strict";
import { test } from "node:test";
import { readingsOf, textReadings } from "./text-readings.ts";

const sentInUtf8 = (text: string) => Buffer.from(text, "utf8").toString("latin1");

test("bytes in UTF-8 are read as UTF-8 and as Latin-1, whether they come as bytes or as text", () => {
  for (const text of ["caf\u00e9", "\u043f\u0440\u0438\u0432\u0435\u0442", "\u{1f600}", "\ufeffx"]) {
    assert.deepEqual(textReadings(sentInUtf8(text)), [text, sentInUtf8(text)]);
    assert.deepEqual(textReadings(text).slice(0, 2), [text, sentInUtf8(text)]);
  }
});

test("bytes that are not UTF-8 are Latin-1, and UTF-8 with what is invalid replaced", () => {
  assert.deepEqual(textReadings("\xe9t\xe9"), ["\xe9t\xe9", "\u00c3\u00a9t\u00c3\u00a9", "\ufffdt\ufffd"]);
});

test("ASCII has one reading", () => {
  const texts = ["plain", ""];
  assert.equal(readingsOf(texts), texts);
  assert.deepEqual(readingsOf(["a", "\u00c3\u00a9"]), ["a", "\u00e9", "\u00c3\u00a9"]);
});
