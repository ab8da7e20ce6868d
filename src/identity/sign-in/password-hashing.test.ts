import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import type { Argon2Parameters } from "node:crypto";
import { test } from "node:test";
import { ApiError } from "../../platform/kernel/errors.ts";
import { createPasswordHashing } from "./password-hashing.ts";
import type { PasswordHashingOptions } from "./password-hashing.ts";

/** The least that Argon2 allows, where a test is not about the cost. */
const CHEAP = { memory: 8, passes: 1, parallelism: 1 };
const STRANGER = { isKnownDevice: false };
const KNOWN = { isKnownDevice: true };
const INVALID = { isValid: false, needsRehash: false };
const VALID = { isValid: true, needsRehash: false };

/** Hashing that notes the work of every call of Argon2. */
function createCounted(options: PasswordHashingOptions = {}) {
  const work: Omit<Argon2Parameters, "message" | "nonce">[] = [];
  const hashing = createPasswordHashing({
    cost: CHEAP,
    ...options,
    deriveKey: async (parameters) => {
      const { message: _message, nonce: _nonce, ...rest } = parameters;
      work.push(rest);
      return argon2Sync("argon2id", parameters);
    },
  });
  return { ...hashing, work };
}

test("a hash is a PHC string with the recommended cost, a salt of its own, and verifies", async () => {
  const { hash, verify } = createPasswordHashing();
  const stored = await hash("correct horse battery staple");
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(await hash("correct horse battery staple"), stored);
  assert.deepEqual(await verify(stored, "correct horse battery staple", KNOWN), VALID);
  assert.deepEqual(await verify(stored, "correct horse battery stable", KNOWN), INVALID);
  assert.deepEqual(await verify(stored, "", STRANGER), INVALID);
});

test("hashes of the reference implementation verify, with parameters other than ours", async () => {
  const { verify } = createPasswordHashing({ cost: CHEAP });
  // Of the tests of github.com/P-H-C/phc-winner-argon2 (src/test.c), version 0x13.
  for (const [stored, password] of [
    ["$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "password"],
    ["$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "password"],
    ["$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc", "password"],
    ["$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94", "differentpassword"],
    ["$argon2id$v=19$m=65536,t=2,p=1$ZGlmZnNhbHQ$vfMrBczELrFdWP0ZsfhWsRPaHppYdP3MVEMIVlqoFBw", "password"],
  ] as const) {
    assert.deepEqual(await verify(stored, password, KNOWN), { isValid: true, needsRehash: true }, stored);
    assert.deepEqual(await verify(stored, `${password}x`, KNOWN), INVALID, stored);
  }
});

test("a hash with another cost is renewed once its password is right", async () => {
  const old = await createPasswordHashing({ cost: CHEAP }).hash("secret");
  for (const raised of [{ memory: 16 }, { passes: 2 }, { parallelism: 2, memory: 16 }]) {
    const { hash, verify } = createPasswordHashing({ cost: { ...CHEAP, ...raised } });
    assert.deepEqual(await verify(old, "secret", KNOWN), { isValid: true, needsRehash: true });
    assert.deepEqual(await verify(old, "wrong", KNOWN), INVALID);
    assert.deepEqual(await verify(await hash("secret"), "secret", KNOWN), VALID);
  }
});

test("an absent account, a wrong password and a right one take the same work", async () => {
  const { hash, verify, work } = createCounted();
  const stored = await hash("secret");
  work.length = 0;
  assert.deepEqual(await verify(stored, "secret", STRANGER), VALID);
  assert.deepEqual(await verify(stored, "wrong", STRANGER), INVALID);
  assert.deepEqual(await verify(null, "secret", STRANGER), INVALID);
  assert.deepEqual(
    work,
    Array.from({ length: 3 }, () => ({ ...CHEAP, tagLength: 32 })),
  );
});

test("the same characters in another encoding are the same password", async () => {
  const { hash, verify } = createPasswordHashing({ cost: CHEAP });
  const stored = await hash("Pa\u030assw\u00f6rt \ufb01ne");
  assert.deepEqual(await verify(stored, "P\u00e5sswo\u0308rt fine", KNOWN), VALID);
  assert.deepEqual(await verify(stored, "P\u00e5ssw\u00f6rt Fine", KNOWN), INVALID);
});

test("a password of 256 characters is hashed as a whole; a longer one is refused before any work", async () => {
  const { hash, verify, work } = createCounted();
  // Each of these is two code units.
  for (const character of ["x", "\u{1f511}"]) {
    const longest = character.repeat(256);
    const stored = await hash(longest);
    assert.deepEqual(await verify(stored, longest, KNOWN), VALID);
    assert.deepEqual(await verify(stored, longest.slice(0, -character.length), KNOWN), INVALID);
    work.length = 0;
    for (const attempt of [
      hash(longest + character),
      verify(stored, longest + character, KNOWN),
      verify(null, longest + character, KNOWN),
    ]) {
      await assert.rejects(attempt, (error) => {
        assert.ok(error instanceof ApiError);
        assert.equal(error.message, "password: expected at most 256 characters");
        return error.status === 400 && error.details["field"] === "body.password";
      });
    }
    assert.deepEqual(work, []);
  }
});

test("a hash of another kind is an error that does not repeat it", async () => {
  const { verify } = createPasswordHashing({ cost: CHEAP });
  for (const stored of ["", "$2b$10$abcdefghijklmnopqrstuv", "$argon2i$v=19$m=8,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHQ"]) {
    await assert.rejects(verify(stored, "secret", KNOWN), (error: Error) => {
      assert.equal(stored !== "" && error.message.includes(stored), false);
      return error.message.startsWith("a stored password hash is not in the form");
    });
  }
});

test("too many at once are refused with 503 and when to come back; a known device is not", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { verify, state } = createPasswordHashing({
    cost: CHEAP,
    concurrency: 1,
    maxWaiting: 2,
    deriveKey: async ({ tagLength }) => {
      await promise;
      return Buffer.alloc(tagLength);
    },
  });
  const overloaded = (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.match(error.message, /^Too many people sign in at the same time; try again in [1-5] s$/);
    return error.code === "overloaded" && error.status === 503 && Number(error.details["retryAfter"]) >= 1;
  };
  const first = verify(null, "first", STRANGER);
  const second = verify(null, "second", STRANGER);
  const third = verify(null, "third", STRANGER);
  await assert.rejects(verify(null, "fourth", STRANGER), overloaded);
  const known = verify(null, "known", KNOWN);
  await assert.rejects(third, overloaded);
  assert.deepEqual(state(), { running: 1, waiting: 2, refused: 2 });
  resolve();
  assert.deepEqual(await Promise.all([first, second, known]), [INVALID, INVALID, INVALID]);
});

test("the event loop goes on while passwords are hashed", async () => {
  const { verify } = createPasswordHashing();
  const attempts = 10;
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(Array.from({ length: attempts }, () => verify(null, "guess", STRANGER)));
  isDone = true;
  // One that hashes on the event loop lets it turn a few times for each hash; here it turns some thousand times.
  assert.ok(turns > 50 * attempts, `the event loop turned ${turns} times during ${attempts} hashes`);
});
