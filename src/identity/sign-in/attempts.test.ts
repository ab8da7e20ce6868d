import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { createAttempts } from "./attempts.ts";

const { app, clock, createUser } = await startTestApp();
const runAttempt = createAttempts({ reader: app.runner.reader, clock: () => clock.now });
const client = {
  site: { origin: "http://localhost" },
  origin: { ip: "203.0.113.5", userAgent: null, requestId: "req_test", via: "http" },
  device: null,
} as const;

/** Begins an attempt that stays open until its end. */
async function begin(login: string) {
  const begun = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<string>();
  const result = runAttempt("account", login, client, async () => {
    begun.resolve();
    return await outcome.promise;
  });
  await Promise.race([begun.promise, result]);
  return { result, end: outcome.resolve, fail: outcome.reject };
}

const isRefused = (error: unknown) =>
  error instanceof ApiError && error.code === "too_many_sign_ins" && error.details["retryAfter"] === 1;

test("three attempts at an account may be open, whether it exists or not, and those at others are apart", async () => {
  const user = await createUser();
  for (const login of [user.username, `no-${user.username}`]) {
    const [first, second, third] = [await begin(login), await begin(login), await begin(login)];
    await assert.rejects(begin(login), isRefused);
    await assert.rejects(begin(login.toUpperCase()), isRefused);
    const other = await begin(`${login}-other`);
    first.end("first");
    assert.equal(await first.result, "first");
    // One that fails makes space too.
    second.fail(new Error("second failed"));
    await assert.rejects(second.result, /second failed/);
    const [fourth, fifth] = [await begin(login), await begin(login)];
    await assert.rejects(begin(login), isRefused);
    for (const attempt of [third, fourth, fifth, other]) attempt.end("done");
    await Promise.all([third, fourth, fifth, other].map(({ result }) => result));
  }
});
