// Every POST that changes something can be repeated: with the same key it is executed once, and the response has the same bytes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { takesIdempotencyKey } from "../../src/platform/operations/endpoint-details.ts";
import { uniqueName } from "../harness/test-app.ts";
import { OPERATIONS, call, exampleOf } from "./operation-call.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();

const without = (body: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

for (const operation of OPERATIONS.filter(({ endpoint }) => takesIdempotencyKey(endpoint))) {
  test(`${operation.id}: a repeated idempotency key changes nothing and replays the response`, async () => {
    const example = await exampleOf(operation, world);
    const headers = { "idempotency-key": uniqueName("key") };
    const first = await call(operation, world, example, { headers });
    assert.equal(first.status, operation.endpoint.status ?? 200, first.text);
    assert.equal(first.headers["idempotency-replayed"], undefined);
    const changes = await world.watchStore();
    const second = await call(operation, world, example, { headers });
    assert.equal(second.headers["idempotency-replayed"], "true");
    const { notReplayed = [] } = operation.endpoint;
    const replayed = notReplayed.length === 0 ? first.text : JSON.stringify(without(first.body, notReplayed));
    assert.deepEqual(
      [second.status, second.text, second.headers["etag"]],
      [first.status, replayed, first.headers["etag"]],
    );
    assert.deepEqual(await changes(), []);

    const other = await exampleOf(operation, world);
    if (isDeepStrictEqual({ ...other, token: null }, { ...example, token: null })) return;
    const reused = await call(operation, world, other, { headers, token: example.token ?? world.owner.token });
    assert.deepEqual([reused.status, reused.body.error.code], [422, "idempotency_key_reused"]);
  });
}
