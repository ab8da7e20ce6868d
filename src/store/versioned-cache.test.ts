import assert from "node:assert/strict";
import { test } from "node:test";
import { createVersionedCache } from "./versioned-cache.ts";

function openCache(capacity = 100) {
  const store = { version: 1 };
  const cache = createVersionedCache<string>(() => store.version, { capacity, sizeOf: (_key, value) => value.length });
  return { store, cache };
}

test("nothing outlives the version at which it was read", () => {
  const { store, cache } = openCache();
  cache.keep("a", "one", cache.version());
  assert.equal(cache.find("a"), "one");
  store.version = 2;
  cache.version();
  assert.equal(cache.find("a"), undefined);
});

test("what was read while another version came is not kept", () => {
  const { store, cache } = openCache();
  const readAt = cache.version();
  store.version = 2;
  cache.version();
  cache.keep("a", "one", readAt);
  assert.equal(cache.find("a"), undefined);
});

test("no more is kept than there is room for, which a new version gives back", () => {
  const { store, cache } = openCache(5);
  for (const key of ["a", "a", "b", "c"]) cache.keep(key, "12", cache.version());
  assert.deepEqual(["a", "b", "c"].map(cache.find), ["12", "12", undefined]);
  store.version = 2;
  cache.keep("c", "12345", cache.version());
  assert.equal(cache.find("c"), "12345");
});
