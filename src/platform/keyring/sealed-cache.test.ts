import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS } from "../kernel/scheduling/clock.ts";
import { SealedCache } from "./sealed-cache.ts";

const textOf = (cache: SealedCache, name: string) => cache.get(name)?.toString();

test("a plaintext is found by its name, also after its holder has wiped it", () => {
  const cache = new SealedCache();
  const plaintext = Buffer.from("value");
  cache.set("a", plaintext);
  plaintext.fill(0);
  cache.get("a")?.fill(0);
  assert.equal(textOf(cache, "a"), "value");
  assert.equal(textOf(cache, "b"), undefined);
  cache.set("a", Buffer.from("another"));
  cache.set("empty", Buffer.alloc(0));
  assert.deepEqual([textOf(cache, "a"), textOf(cache, "empty")], ["another", ""]);
});

test("it holds 8 MB, drops what was not used for longest, and refuses what is too large", () => {
  const cache = new SealedCache();
  const name = (at: number) => `values ${at}`;
  // Each takes 100 000 bytes, with a nonce and a tag.
  const plaintext = Buffer.alloc(100_000 - 256 - 28, "x");
  for (let at = 0; at < 100; at++) {
    cache.set(name(at), plaintext);
    assert.ok(cache.get(name(0)), "used all the time");
  }
  const held = Array.from({ length: 100 }, (_, at) => at).filter((at) => cache.get(name(at)));
  assert.deepEqual(held, [0, ...Array.from({ length: 82 }, (_, at) => at + 18)]);
  cache.set(name(99), Buffer.alloc(1024 * 1024 + 1));
  assert.equal(cache.get(name(99)), undefined, "nor does it keep what this one replaces");
  cache.set(name(98), Buffer.alloc(1024 * 1024));
  assert.ok(cache.get(name(98)));
});

test("8 MB fit to the byte, and what is replaced gives its space back", () => {
  const cache = new SealedCache();
  const plaintext = Buffer.alloc(1024 * 1024 - 256 - 28, "x");
  const names = Array.from({ length: 8 }, (_, at) => `values ${at}`);
  for (let round = 0; round < 3; round++) for (const name of names) cache.set(name, plaintext);
  assert.deepEqual(
    names.filter((name) => cache.get(name)),
    names,
  );
});

test("it is empty ten minutes after the first plaintext came, each time anew", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const cache = new SealedCache();
  const held = () => ["a", "b"].filter((name) => cache.get(name));
  for (let time = 0; time < 3; time++) {
    cache.set("a", Buffer.from("value"));
    t.mock.timers.tick(6 * MINUTE_MS);
    cache.set("b", Buffer.from("value"));
    t.mock.timers.tick(4 * MINUTE_MS - 1);
    assert.deepEqual(held(), ["a", "b"]);
    t.mock.timers.tick(1);
    assert.deepEqual(held(), []);
  }
});
