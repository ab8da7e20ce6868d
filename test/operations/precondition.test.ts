// Every change that declares `revision_mismatch` honours If-Match: it is executed on the revision that the caller has seen and on no
// other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS, call, exampleOf } from "./operation-call.ts";
import { isMutation } from "../../src/platform/kernel/contract.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();

for (const operation of OPERATIONS.filter(({ endpoint }) => endpoint.errors.includes("revision_mismatch"))) {
  test(`${operation.id}: If-Match allows a change of the current revision only`, async () => {
    const example = await exampleOf(operation, world);
    const changes = await world.watchStore();
    const refused = await call(operation, world, example, { headers: { "if-match": '"0"' } });
    assert.deepEqual([refused.status, refused.body.error?.code], [412, "revision_mismatch"], refused.text);
    assert.deepEqual(await changes(), []);

    const current = refused.headers["etag"];
    assert.match(current ?? "", /^"\d+"$/);
    // A list, with a tag that a proxy has weakened and named after its encoding.
    const changedTag = `W/${String(current).slice(0, -1)}-gzip"`;
    const changed = await call(operation, world, example, { headers: { "if-match": `"0", ${changedTag}` } });
    assert.equal(changed.status, operation.endpoint.status ?? 200, changed.text);
    assert.notDeepEqual(await changes(), []);
  });
}

test("every other change refuses a condition that it would not look at, and changes nothing", async () => {
  for (const operation of OPERATIONS.filter(({ endpoint }) => isMutation(endpoint))) {
    const { errors, beginsObject } = operation.endpoint;
    const conditions = { "if-match": errors.includes("revision_mismatch"), "if-none-match": beginsObject === true };
    for (const [name] of Object.entries(conditions).filter(([, isTaken]) => !isTaken)) {
      const example = await exampleOf(operation, world);
      const changes = await world.watchStore();
      const { status, text } = await call(operation, world, example, { headers: { [name]: "*" } });
      assert.equal(status, 400, `${operation.id}: ${text}`);
      assert.match(text, /"field":"If-(?:None-)?Match"/i, operation.id);
      assert.deepEqual(await changes(), [], operation.id);
    }
  }
});

test("every change of an object with a revision honours If-Match", async () => {
  const unprotected = [];
  for (const operation of OPERATIONS) {
    const { method, errors } = operation.endpoint;
    if (!/^(?:PATCH|PUT)$/.test(method) || errors.includes("revision_mismatch")) continue;
    const { headers } = await call(operation, world, await exampleOf(operation, world));
    if (headers["etag"] !== undefined) unprotected.push(operation.id);
  }
  assert.deepEqual(unprotected, []);
});
