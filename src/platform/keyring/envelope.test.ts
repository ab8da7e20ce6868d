// What is sealed opens where it belongs and nowhere else, and whatever was done to it shows.
import assert from "node:assert/strict";
import { createSecretKey, randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { UnreadableError } from "../kernel/keyring.ts";
import { openEnvelope, rewrapKey, sealEnvelope } from "./envelope.ts";

const NONCE_BYTES = 12;
const PLACE = "secret|team_a|sec_a|1";
const VALUE = Buffer.from("hunter2");

const newKey = () => createSecretKey(randomBytes(32));
const masterKey = newKey();
const sealed = sealEnvelope(masterKey, VALUE, PLACE);
type Envelope = typeof sealed;
const PARTS = ["ciphertext", "wrappedKey"] as const;

function assertUnreadable(envelope: Envelope, { key = masterKey, place = PLACE } = {}, what = "it opened"): void {
  assert.throws(() => openEnvelope(key, envelope, place), UnreadableError, what);
}

test("any bytes come back from the place where they were sealed", () => {
  const place = fc.string({ unit: "binary", maxLength: 100 });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), place, (bytes, context) => {
      const envelope = sealEnvelope(masterKey, bytes, context);
      assert.deepEqual(Uint8Array.from(openEnvelope(masterKey, envelope, context)), Uint8Array.from(bytes));
    }),
  );
});

test("bytes that lie within a larger buffer, as drivers hand them out, open too", () => {
  const within = (bytes: Uint8Array) => Buffer.concat([randomBytes(5), bytes, randomBytes(7)]).subarray(5, -7);
  const moved = { ciphertext: within(sealed.ciphertext), wrappedKey: within(sealed.wrappedKey) };
  assert.deepEqual(openEnvelope(masterKey, moved, PLACE), VALUE);
});

describe("tampering shows", () => {
  for (const part of PARTS) {
    test(`every bit of the ${part} counts: nonce, text and tag`, () => {
      for (let bit = 0; bit < sealed[part].length * 8; bit++) {
        const flipped = Buffer.from(sealed[part]);
        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
        assertUnreadable({ ...sealed, [part]: flipped }, {}, `bit ${bit}`);
      }
    });

    test(`a ${part} that was cut to any length, at either end, or made longer does not open`, () => {
      const whole = sealed[part];
      for (let length = 0; length < whole.length; length++) {
        assertUnreadable({ ...sealed, [part]: whole.subarray(0, length) }, {}, `the first ${length} bytes`);
        assertUnreadable({ ...sealed, [part]: whole.subarray(whole.length - length) }, {}, `the last ${length} bytes`);
      }
      assertUnreadable({ ...sealed, [part]: Buffer.concat([whole, Buffer.alloc(1)]) });
      assertUnreadable({ ...sealed, [part]: Buffer.concat([Buffer.alloc(1), whole]) });
    });

    test(`a text in the place of the ${part} does not open`, () => {
      assertUnreadable({ ...sealed, [part]: sealed[part].toString("latin1") as never });
    });

    test(`the ${part} of another value does not open here`, () => {
      assertUnreadable({ ...sealed, [part]: sealEnvelope(masterKey, VALUE, PLACE)[part] });
    });
  }

  test("a data key does not open as a value, nor a value as a data key", () => {
    assertUnreadable({ ciphertext: sealed.wrappedKey, wrappedKey: sealed.wrappedKey });
    assertUnreadable({ ciphertext: sealed.ciphertext, wrappedKey: sealed.ciphertext });
    // Even of the size that a data key has, and under the master key itself.
    const ofKeySize = sealEnvelope(masterKey, randomBytes(32), PLACE);
    assertUnreadable({ ciphertext: ofKeySize.wrappedKey, wrappedKey: ofKeySize.wrappedKey });
  });
});

describe("another place or key", () => {
  for (const [what, place] of [
    ["owner", "secret|team_b|sec_a|1"],
    ["secret", "secret|team_a|sec_b|1"],
    ["version", "secret|team_a|sec_a|2"],
    ["kind", "webhook|team_a|sec_a|1"],
    ["place with its parts cut differently", "secret|team_a|sec_a1|"],
  ] as const) {
    test(`another ${what}`, () => assertUnreadable(sealed, { place }));
  }

  test("any other place", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (place) => {
        fc.pre(place !== PLACE);
        assertUnreadable(sealed, { place });
      }),
    );
  });

  test("another master key", () => assertUnreadable(sealed, { key: newKey() }));
});

test("the same value sealed twice has nothing in common", () => {
  const again = sealEnvelope(masterKey, VALUE, PLACE);
  for (const part of PARTS) {
    const pieces = (bytes: Buffer) =>
      new Set(Array.from({ length: bytes.length - 4 }, (_, at) => bytes.toString("hex", at, at + 5)));
    assert.ok(pieces(sealed[part]).isDisjointFrom(pieces(again[part])), part);
    assert.notDeepEqual(sealed[part].subarray(0, NONCE_BYTES), again[part].subarray(0, NONCE_BYTES));
  }
});

describe("under another master key", () => {
  const next = newKey();
  const rewrapped = { ...sealed, wrappedKey: rewrapKey(masterKey, next, sealed.wrappedKey, PLACE) };

  test("the value opens with the new key and no longer with the old one", () => {
    assert.deepEqual(openEnvelope(next, rewrapped, PLACE), VALUE);
    assertUnreadable(rewrapped, { key: masterKey });
    assertUnreadable(rewrapped, { key: next, place: "secret|team_a|sec_a|2" });
  });

  test("a data key that was tampered with, or belongs elsewhere, is not wrapped anew", () => {
    const flipped = Buffer.from(sealed.wrappedKey);
    flipped[20] = (flipped[20] as number) ^ 1;
    assert.throws(() => rewrapKey(masterKey, next, flipped, PLACE), UnreadableError);
    assert.throws(() => rewrapKey(masterKey, next, sealed.wrappedKey, "elsewhere"), UnreadableError);
    assert.throws(() => rewrapKey(newKey(), next, sealed.wrappedKey, PLACE), UnreadableError);
  });
});
