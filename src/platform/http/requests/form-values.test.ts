// What a program sends as a form is UTF-8, or refused with the name of its field.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inject } from "../../../../test/harness/inject.ts";
import { startTestApp } from "../../../../test/harness/test-app.ts";

const { app } = await startTestApp();

test("the exchange refuses bytes that are not UTF-8, and names their field", async () => {
  for (const [payload, named] of [
    ["grant_type=x&subject_token=a\xE9b", "subject_token"],
    ["grant_type=x&subject_token=a%E9b", "subject_token"],
    ["audience=\xC3&grant_type=x", "audience"],
    ["grant_type=x&\xFF=1", "body"],
    ["grant_type=x&audience=%", "audience"],
  ] as const) {
    const { statusCode, body } = await inject(app, {
      method: "POST",
      url: "/v1/identity/exchange",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: Buffer.from(payload, "latin1"),
    });
    const { error, error_description: description } = JSON.parse(body) as Record<string, string>;
    assert.deepEqual(
      [statusCode, error, description],
      [400, "invalid_request", `${named}: expected percent-encoded UTF-8`],
      payload,
    );
  }
});
