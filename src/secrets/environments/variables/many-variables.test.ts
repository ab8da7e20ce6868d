// A project with as many variables as it may have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import { openEnvironments } from "../../../../test/resources/environments.ts";

const app = await startTestApp();
const { createUser, request } = app;

test("ten thousand variables are listed in turns, between which others are served", async () => {
  const user = await createUser();
  const env = openEnvironments(app, user.token, "many");
  await env.set("production", { KEY_0_0: { value: "first" } });
  const names = ["production", "preview", "development", ...Array.from({ length: 7 }, (_, at) => `stage-${at}`)];
  for (const name of names.slice(3)) assert.equal((await env.call("POST", "", { body: { name } })).status, 200);
  for (const [at, name] of names.entries()) {
    const keys = Array.from({ length: 1_000 }, (_, key): [string, object] => [`KEY_${at}_${key}`, { value: `${key}` }]);
    await env.set(name, Object.fromEntries(keys));
  }
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { status, body } = await request("GET", "/v10/projects/many/env", { token: user.token });
  isOver = true;
  assert.deepEqual([status, body.envs.length], [200, 10_000]);
  // Ten batches, with a turn between two.
  assert.ok(turns >= 9, `${turns} turns`);
});
