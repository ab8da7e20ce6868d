// An empty range is an empty page of every list: a client that pages by time meets `since` equal to `until`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS, call, exampleOf } from "./operation-call.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();
const PAGED = OPERATIONS.filter(({ endpoint: { method, query, streamsOnly } }) => {
  const { since, until } = query?.properties ?? {};
  return method === "GET" && since !== undefined && until !== undefined && !streamsOnly;
});

test("lists that are paged by time are found", () => {
  assert.ok(PAGED.length > 5);
});

for (const operation of PAGED) {
  test(`${operation.id}: since equal to until is an empty page`, async () => {
    const example = await exampleOf(operation, world);
    const query = { ...example.query, since: "5", until: "5" };
    const { status, body, text } = await call(operation, world, { ...example, query });
    assert.equal(status, 200, text);
    // Some lists have more in it.
    const { count = 0, next = null, prev = null } = body.pagination ?? {};
    assert.deepEqual({ count, next, prev }, { count: 0, next: null, prev: null });
  });
}
