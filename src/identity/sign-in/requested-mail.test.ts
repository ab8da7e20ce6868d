import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { createRequestedMail } from "./requested-mail.ts";

const { app, clock } = await startTestApp();
const { changes } = app.runner;
const instance = { hasMail: true } as Parameters<typeof createRequestedMail>[0]["instance"];
const client = {
  site: { origin: "http://localhost" },
  origin: { ip: "203.0.113.77", userAgent: null, requestId: "req_test", via: "http" },
  device: null,
} as const;

test("who asks does not wait for what depends on the account, and its failure is logged", async () => {
  const queued = Promise.withResolvers<void>();
  const logged: unknown[] = [];
  const { askRecovery, askSignUp } = createRequestedMail({
    changes: { ...changes, queueRecovery: () => queued.promise, queueSignUp: () => queued.promise },
    clock: () => clock.now,
    instance,
    signUp: { kind: "open" },
    logFailure: (error) => void logged.push(error),
  });
  await askRecovery("ada", client);
  await askSignUp("ada@example.com", client);
  const failure = new Error("no space");
  queued.reject(failure);
  await queued.promise.catch(() => undefined);
  assert.deepEqual(logged, [failure, failure]);
});
