import assert from "node:assert/strict";
import { test } from "node:test";
import { createVersionedCache } from "./versioned-cache.ts";
import { NO_OWNER } from "./versions.ts";

/** A cache over a store whose version and last changes the test sets. */
function openCache(capacity = 100) {
  const store = { version: 1, anythingAt: 0, changedAt: new Map<string, number>() };
  const versions = {
    refresh: () => undefined,
    present: () => store.version,
    isCurrent: (readAt: number, ownerId: string | null) =>
      readAt === store.version ||
      (ownerId !== null && readAt >= Math.max(store.anythingAt, store.changedAt.get(ownerId) ?? 0)),
  };
  const cache = createVersionedCache<string>(versions, { capacity, sizeOf: (_key, value) => value.length });
  return { store, cache };
}

test("an entry that depends on anybody's rows does not outlive the version at which it was read", () => {
  const { store, cache } = openCache();
  cache.set("a", "one", store.version, null);
  assert.equal(cache.find("a"), "one");
  store.version = 2;
  assert.equal(cache.find("a"), undefined);
});

test("an entry that depends on one owner's rows outlives the changes of others", () => {
  const { store, cache } = openCache();
  cache.set("a", "one", store.version, "owner-a");
  cache.set("b", "two", store.version, "owner-b");
  cache.set("c", "three", store.version, NO_OWNER);
  store.version = 2;
  store.changedAt.set("owner-b", 2);
  assert.deepEqual(["a", "b", "c"].map(cache.find), ["one", undefined, "three"]);
  store.version = 3;
  store.anythingAt = 3;
  assert.deepEqual(["a", "b", "c"].map(cache.find), [undefined, undefined, undefined]);
});

test("a value is not stored if what it depends on has changed since it was read", () => {
  const { store, cache } = openCache();
  const readAt = store.version;
  store.version = 2;
  store.changedAt.set("owner-a", 2);
  cache.set("a", "one", readAt, "owner-a");
  cache.set("b", "two", readAt, null);
  cache.set("c", "three", readAt, "owner-b");
  assert.deepEqual(["a", "b", "c"].map(cache.find), [undefined, undefined, "three"]);
});

test("the size of all entries is bounded: a value without room takes that of all others", () => {
  const { store, cache } = openCache(5);
  for (const key of ["a", "a", "b"]) cache.set(key, "12", store.version, null);
  assert.deepEqual(["a", "b"].map(cache.find), ["12", "12"]);
  cache.set("c", "12", store.version, null);
  assert.deepEqual(["a", "b", "c"].map(cache.find), [undefined, undefined, "12"]);
  cache.set("d", "123456", store.version, null);
  assert.deepEqual(["c", "d"].map(cache.find), ["12", undefined]);
});
