import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import type { Body } from "../../../../test/harness/test-app.ts";
import { openEnvironments } from "../../../../test/resources/environments.ts";
import { outcome } from "../../../../test/resources/secrets.ts";

const app = await startTestApp();
const { createUser, readEvents, request } = app;

async function open() {
  const user = await createUser();
  const { token } = user;
  return {
    user,
    env: openEnvironments(app, token, "shop"),
    call: (method: string, path = "", body?: unknown) =>
      request(method, `/v9/projects/shop/custom-environments${path}`, {
        token,
        ...(body === undefined ? {} : { body }),
      }),
  };
}

test("an environment is created and deleted in both forms, and those that every project has are not in this one", async () => {
  const { env, call } = await open();
  const staging = {
    id: "staging",
    slug: "staging",
    type: "preview",
    createdAt: app.clock.now,
    updatedAt: app.clock.now,
  };
  const made = await call("POST", "", { slug: "staging", description: "", branchMatcher: null });
  assert.deepEqual([made.status, made.body], [201, staging]);
  await env.call("POST", "", { body: { name: "qa", inheritsFrom: "staging" } });
  const listed = (await call("GET")).body;
  assert.deepEqual(listed.environments, [{ ...staging, id: "qa", slug: "qa" }, staging]);
  assert.deepEqual(listed.accountLimit, { total: 50 });
  assert.deepEqual((await call("GET", "?gitBranch=one")).body.environments, []);
  assert.deepEqual((await call("GET", "/staging")).body, staging);
  assert.deepEqual((await call("PATCH", "/staging", { slug: "staging" })).body, staging);
  const refused: [Promise<Body>, string, string | undefined][] = [
    [call("POST", "", { slug: "staging" }), "environment_exists", "body.slug"],
    [call("POST", "", { slug: "preview" }), "environment_exists", "body.slug"],
    [call("POST", "", { slug: "Not this" }), "bad_request", "body.slug"],
    [call("POST", "", { slug: "x", description: "words" }), "bad_request", "body.description"],
    [call("POST", "", { slug: "x", copyEnvVarsFrom: "y" }), "invalid_environment", "body.copyEnvVarsFrom"],
    [call("PATCH", "/staging", { slug: "other" }), "invalid_environment", "body.slug"],
    [call("GET", "/preview"), "not_found", undefined],
    [call("DELETE", "/production"), "not_found", undefined],
    [call("DELETE", "/staging"), "environment_in_use", undefined],
  ];
  for (const [answer, code, field] of refused) {
    const { body, text } = await answer;
    assert.deepEqual([body.error?.code, body.error?.field], [code, field], text);
  }
  assert.equal(outcome(await call("DELETE", "/qa", { deleteUnassignedEnvironmentVariables: true })), "ok");
  assert.deepEqual((await call("DELETE", "/staging")).body, staging);
  assert.equal((await env.call("GET", "/staging")).status, 404);
});

test("copied variables are variables of both, until one of them gets another value", async () => {
  const { env, user, call } = await open();
  await env.set("preview", { A: { value: "1" }, S: { secretValue: "old" } });
  assert.equal((await call("POST", "", { slug: "staging", copyEnvVarsFrom: "preview" })).status, 201);
  const variables = async () =>
    (await request("GET", "/v10/projects/shop/env", { token: user.token })).body.envs.map((one: Body) => [
      one.key,
      one.type,
      ...one.target,
      ...one.customEnvironmentIds,
    ]);
  assert.deepEqual(await variables(), [
    ["A", "plain", "preview", "staging"],
    ["S", "encrypted", "preview", "staging"],
  ]);
  const events = (await readEvents(user.id)).filter(({ type }) => type.startsWith("environment-"));
  assert.deepEqual(
    events
      .map(({ type, payload }) => [type, payload.environment, payload.added])
      .slice(-2)
      .toSorted(),
    [
      ["environment-created", "staging", undefined],
      ["environment-values-changed", "staging", ["A", "S"]],
    ],
  );
  await env.set("staging", { S: { secretValue: "new" } });
  assert.deepEqual([(await env.values("preview")).body.S, (await env.values("staging")).body.S], ["old", "new"]);
});
