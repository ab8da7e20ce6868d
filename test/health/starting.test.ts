// A process is ready when the work of its start is done: before that, the token that an operator chose is the token of nobody.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createApp } from "../../src/serve/app.ts";
import { createLogger } from "../../src/serve/observability/logger.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import { START_TIME, createStorage, send } from "../harness/test-app.ts";

test("who waits until it is ready is not refused with the token of the first start", async () => {
  const storage = await createStorage();
  const token = "a_token_that_an_operator_has_chosen_for_a_start";
  const settings = readSettings({ ...storage.flags, bootstrapToken: token }, {});
  const app = await createApp(settings, { clock: () => START_TIME, logger: createLogger("silent", process.stdout) });
  after(async () => {
    await app.close();
    await storage.remove();
  });
  const isReady = async () => await send(app, "GET", "/health/ready", { token: null });
  const early = await isReady();
  assert.deepEqual([early.status, early.body.error?.code], [503, "not_ready"]);
  assert.equal(early.body.error.checks.start.code, "starting");
  assert.equal((await send(app, "GET", "/health/live", { token: null })).status, 200);
  assert.equal((await send(app, "GET", "/v2/user", { token })).status, 401);
  await app.bootstrap();
  assert.equal((await isReady()).status, 200);
  assert.equal((await send(app, "GET", "/v2/user", { token })).status, 200);
});
