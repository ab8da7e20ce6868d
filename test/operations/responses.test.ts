// A valid call of every endpoint: the declared status, a body that matches the schema, only declared events, and the same on every path
// of the endpoint.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";
import { isMutation } from "../../src/platform/kernel/contract.ts";
import { ENGINE } from "../harness/test-app.ts";
import type { TestResponse } from "../harness/test-app.ts";
import { EXAMPLES } from "./examples.ts";
import { openWorkload } from "../resources/workload.ts";
import { OPERATIONS, call, exampleOf, urlOf } from "./operation-call.ts";
import { assertPublicRecorded, assertRecorded } from "./recorded-responses.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();

test("examples and endpoints match one to one", () => {
  const missing = OPERATIONS.filter(({ id }) => !Object.hasOwn(EXAMPLES, id)).map(({ id }) => id);
  assert.deepEqual(missing, [], "add an example to test/operations/examples.ts");
  const stale = Object.keys(EXAMPLES).filter((id) => !OPERATIONS.some((operation) => operation.id === id));
  assert.deepEqual(stale, [], "of no operation");
});

function assertFits(schema: TSchema, status: number, result: TestResponse): void {
  assert.equal(result.status, status, result.text);
  if (status === 204) {
    assert.equal(result.text, "");
    return;
  }
  assert.match(result.headers["content-type"] ?? "", /^application\/json/);
  const [, [error]] = Compile(schema).Errors(result.body);
  assert.equal(error, undefined, `${JSON.stringify(error)} in ${result.text}`);
}

/** A response without the members that identify the request, and without the free space of a disk that others write to. */
function said({ status, headers: { "x-request-id": _id, date: _date, ...headers }, text }: TestResponse) {
  return { status, headers, text: text.replace(/\d+ MiB free/, "") };
}

/** What of `types` is not in `earlier`, counting repetitions. */
function added(earlier: readonly string[], types: readonly string[]): string[] {
  const rest = [...types];
  for (const type of earlier) rest.splice(rest.indexOf(type), 1);
  return rest;
}

for (const { id, endpoint } of OPERATIONS.filter(({ endpoint: { streamsOnly } }) => streamsOnly)) {
  for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
    test(`${id}: ${endpoint.method} ${path} begins its response in its one format, and changes nothing`, async () => {
      const example = await exampleOf({ id, endpoint }, world);
      const changes = await world.watchStore();
      const result = await world.app.server.inject({
        url: urlOf(path, example),
        headers: { authorization: `Bearer ${world.owner.token}` },
        payloadAsStream: true,
      });
      assert.equal(result.statusCode, 200);
      const [mediaType] = Object.keys(endpoint.streams ?? {});
      assert.equal(result.headers["content-type"], `${mediaType}; charset=utf-8`);
      const [chunk] = await result.stream().take(1).toArray();
      assert.notEqual(String(chunk), "");
      assert.deepEqual(await changes(), []);
    });
  }
}

for (const operation of OPERATIONS.filter(({ endpoint: { streamsOnly } }) => !streamsOnly)) {
  const { id, endpoint } = operation;
  const { response, emits, recordsAlways = false, recordsWhen, status = 200, aliases = [] } = endpoint;

  for (const path of [endpoint.path, ...aliases]) {
    test(`${id}: ${endpoint.method} ${path} returns and emits what its contract declares`, async () => {
      const example = await exampleOf(operation, world);
      const earlier = await world.eventTypes();
      const changes = await world.watchStore();
      const result = await call(operation, world, example, { path });
      assertFits(response, status, result);
      if (status !== 204 && path === endpoint.path) assertRecorded(operation, example, result.body);
      const types = added(earlier, await world.eventTypes());
      assert.deepEqual(
        types.filter((type) => !emits.includes(type)),
        [],
        "events that the contract does not name",
      );
      const isRecorded = recordsAlways || (recordsWhen !== undefined && example.query?.[recordsWhen] === "true");
      if (!isMutation(endpoint) && !isRecorded) {
        assert.deepEqual(await changes(), [], "a read changed something");
        if (endpoint.method === "GET") {
          const again = await call(operation, world, example, { path });
          assert.deepEqual(said(again), said(result), "another response than to the same request before");
        }
        if (path === endpoint.path) return;
        const canonical = await call(operation, world, example);
        assert.equal(result.text, canonical.text, "another response than on the canonical path");
      } else if (emits.length > 0) {
        assert.notDeepEqual(types, [], "a change without an event");
      }
    });
  }
}

test("responses that need no credential are as the document's examples show them", async () => {
  for (const [id, path] of [
    ["getLiveness", "/health/live"],
    ["getReadiness", "/health/ready"],
  ] as const) {
    const { status, body, text } = await world.request("GET", path, { token: null });
    assert.equal(status, 200, text);
    // The clock of the tests is not that of PostgreSQL, and readiness says so.
    if (body.checks !== undefined) assert.deepEqual([ENGINE, Object.keys(body.checks)], ["postgres", ["clock"]]);
    else assertPublicRecorded(id, body);
  }
  const { github, createTrustRule, claimsNow, exchange } = await openWorkload(world);
  const { team } = await createTrustRule();
  const { status, body, text } = await exchange({ audience: team.slug }, await github.sign(claimsNow()));
  assert.equal(status, 200, text);
  assertPublicRecorded("exchangeIdentity", body);
});
