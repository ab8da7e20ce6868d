// A parameter that keeps a call from changing or ending more is not taken for absent when it has no value.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS, exampleOf, urlOf } from "./operation-call.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();
const SAFEGUARDS = ["dryRun", "keepCurrent"];
const guarded = OPERATIONS.flatMap((operation) => {
  const members = Object.keys(operation.endpoint.query?.properties ?? {});
  return SAFEGUARDS.filter((name) => members.includes(name)).map((name) => ({ operation, name }));
});

test("there are such parameters", () => assert.ok(guarded.length > 3, String(guarded.length)));

for (const { operation, name } of guarded) {
  test(`${operation.id}: an empty ${name} is refused, and nothing happens`, async () => {
    const example = await exampleOf(operation, world);
    const before = await world.fingerprint();
    for (const given of [name, `${name}=`]) {
      const url = urlOf(operation.endpoint.path, example);
      const { status, body } = await world.request(
        operation.endpoint.method,
        url + (url.includes("?") ? "&" : "?") + given,
        {
          token: example.token ?? world.owner.token,
          ...(example.body === undefined ? {} : { body: example.body }),
        },
      );
      assert.deepEqual([status, body.error.field], [400, `query.${name}`]);
    }
    assert.deepEqual(await world.fingerprint(), before);
  });
}
