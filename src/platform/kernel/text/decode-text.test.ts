// Text of bytes: UTF-8 without its byte order mark, and the offset of the first byte that is none. The offsets are counted by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeText } from "./decode-text.ts";

const decode = (...parts: readonly (string | readonly number[])[]): string =>
  decodeText(Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part)))));

test("UTF-8 is read as it is, and one byte order mark in front of it is taken off", () => {
  assert.equal(decode(""), "");
  assert.equal(decode("José 🗝️ \uFFFD\0\r\n"), "José 🗝️ \uFFFD\0\r\n");
  assert.equal(decode([0xef, 0xbb, 0xbf], "a"), "a");
  assert.equal(decode([0xef, 0xbb, 0xbf]), "");
  assert.equal(decode([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], "a"), "\uFEFFa");
  assert.equal(decode("a\uFEFF"), "a\uFEFF");
});

test("anything else is refused with the offset of its first wrong byte", () => {
  for (const [offset, ...parts] of [
    [3, "Jos", [0xe9]],
    [12, '{"name":"Jos', [0xe9], '"}'],
    [2, "é", [0xff], "a", [0xff]],
    [4, "🗝".slice(0, 2), [0x80]],
    [3, "\uFFFD", [0xc3]],
    [8, "\uFFFDé\uFFFD", [0xed, 0xa0, 0x80]],
    [0, [0xc0, 0x80]],
    [0, [0xf5, 0x80, 0x80, 0x80]],
    [1, "a", [0xe2, 0x82]],
    [3, [0xef, 0xbb, 0xbf, 0xe9]],
  ] as const) {
    const message = `expected UTF-8, got a byte at offset ${offset} that it cannot have there`;
    assert.throws(() => decode(...parts), { message }, JSON.stringify(parts));
  }
});

test("UTF-16 and UTF-32 are known by their marks", () => {
  const [little, big] = [Buffer.from("\uFEFFabc", "utf16le"), Buffer.from("\uFEFFabc", "utf16le").swap16()];
  for (const bytes of [[...little], [...big], [0xff, 0xfe, 0, 0, 0x61, 0, 0, 0], [0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]]) {
    assert.throws(() => decode(bytes), /^Error: expected UTF-8, got UTF-16 or UTF-32/);
  }
});

test("every text is read back, and no other bytes are taken for one", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.equal(decode([0xef, 0xbb, 0xbf], text), text);
    }),
  );
  const strict = new TextDecoder("utf-8", { fatal: true });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      let expected: string | null = null;
      try {
        expected = strict.decode(bytes);
      } catch {
        // Not UTF-8.
      }
      if (expected !== null) {
        assert.equal(decodeText(Buffer.from(bytes)), expected);
        return;
      }
      assert.throws(
        () => decodeText(Buffer.from(bytes)),
        (error: Error) => {
          const offset = /offset (\d+)/.exec(error.message)?.[1] ?? "none";
          const before = bytes.subarray(0, Number(offset));
          assert.equal(
            Buffer.from(strict.decode(before)).length,
            before.length - (before[0] === 0xef && before[1] === 0xbb && before[2] === 0xbf ? 3 : 0),
          );
          return true;
        },
      );
    }),
  );
});
