import assert from "node:assert/strict";
import { test } from "node:test";
import { nextByte, nextBytes } from "./random.ts";

test("no bytes are handed out twice, and bytes that were handed out do not change", () => {
  // Several pools' worth, in pieces that do not divide one.
  const drawn = Array.from({ length: 1_000 }, () => {
    nextByte();
    const bytes = nextBytes(32);
    return { bytes, asDrawn: bytes.toString("hex") };
  });
  assert.equal(new Set(drawn.map(({ asDrawn }) => asDrawn)).size, drawn.length);
  assert.deepEqual(
    drawn.map(({ bytes }) => bytes.toString("hex")),
    drawn.map(({ asDrawn }) => asDrawn),
  );
});

test("every value of a byte is about equally frequent, across the ends of pools", () => {
  const counts = new Uint32Array(256);
  const draws = 256 * 400;
  for (let i = 0; i < draws; i += 32) for (const byte of nextBytes(32)) counts[byte] = (counts[byte] as number) + 1;
  // 400 each, with a standard deviation of 20: chance never exceeds eight standard deviations.
  for (const count of counts) assert.ok(count > 240 && count < 560, `${count} of 400`);
});
