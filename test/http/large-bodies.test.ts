// Bodies within the size limit that would take disproportionate time, and errors that would repeat them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";

const { request } = await startOwnApp();

test("a body with too many values is refused before each value is checked", async () => {
  const body = `[${"{},".repeat(340_000)}{}]`;
  assert.ok(body.length < 1_048_576 * 2);
  for (const url of ["/v1/teams", "/v1/teams/absent/members"]) {
    const { status, body: response } = await request("POST", url, {
      body: body.slice(0, 900_000).replace(/,?\{?$/, "]"),
    });
    assert.equal(status, 400);
    assert.match(response.error.message, /expected at most 20000 values/);
  }
});

test("an error about invalid JSON does not quote the body", async () => {
  const { status, text } = await request("POST", "/v1/teams/join", { body: '{"inviteCode":S3cretC0de}' });
  assert.equal(status, 400);
  assert.doesNotMatch(text, /S3cret|viteCode/);
});

test("a very long field name is shortened in errors, and so is a deep path", async () => {
  const long = await request("POST", "/v1/teams", { body: { slug: "fine", ["x".repeat(500_000)]: 1 } });
  assert.equal(long.status, 400);
  assert.ok(long.text.length < 1_000, `${long.text.length} characters`);
  assert.match(long.body.error.message, /unknown key$/);

  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 1]));
  const { status, body } = await request("POST", "/v1/teams/absent/members", { body: many });
  assert.equal(status, 400);
  assert.match(body.error.message, /^k\d+: unknown key/);
});
