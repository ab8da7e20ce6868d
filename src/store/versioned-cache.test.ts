import assert from "node:assert/strict";
import { test } from "node:test";
import { createVersionedCache } from "./versioned-cache.ts";

function openCache(capacity = 100) {
  const store = { version: 1 };
  const cache = createVersionedCache<string>(() => store.version, { capacity, sizeOf: (_key, value) => value.length });
  return { store, cache };
}

test("no entry outlives the version at which it was read", () => {
  const { store, cache } = openCache();
  cache.set("a", "one", cache.version());
  assert.equal(cache.find("a"), "one");
  store.version = 2;
  cache.version();
  assert.equal(cache.find("a"), undefined);
});

test("a value that was read before the version changed is not stored", () => {
  const { store, cache } = openCache();
  const readAt = cache.version();
  store.version = 2;
  cache.version();
  cache.set("a", "one", readAt);
  assert.equal(cache.find("a"), undefined);
});

test("the size of all entries is bounded, and a new version frees it", () => {
  const { store, cache } = openCache(5);
  for (const key of ["a", "a", "b", "c"]) cache.set(key, "12", cache.version());
  assert.deepEqual(["a", "b", "c"].map(cache.find), ["12", "12", undefined]);
  store.version = 2;
  cache.set("c", "12345", cache.version());
  assert.equal(cache.find("c"), "12345");
});
