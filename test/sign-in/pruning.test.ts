// What people leave behind who sign in is deleted when it is over, and nothing before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { openSession } from "./open-session.ts";

const api = await startOwnApp();
const { app, clock, createUser, query, request } = api;
const { changes } = app.runner;
const countRows = async (table: string) => Number((await query(`select count(*) as rows from ${table}`))[0]?.["rows"]);

test("codes are deleted in steps when they have expired", async () => {
  await changes.pruneSignInCodes(null, clock.now + DAY_MS);
  for (let count = 0; count < 501; count++) {
    await changes.createPasskeyChallenge({ purpose: "passkey-proof", userId: null }, clock.now);
  }
  assert.equal(await changes.pruneSignInCodes(null, clock.now), 0);
  assert.equal(await changes.pruneSignInCodes(null, clock.now + 15 * MINUTE_MS), 500);
  assert.equal(await changes.pruneSignInCodes(null, clock.now + 15 * MINUTE_MS), 1);
  assert.equal(await countRows("one_time_codes"), 0);
});

test("sessions are deleted after seven days, and refused 12 hours after their last use", async () => {
  const { session } = await openSession(api, await createUser());
  assert.equal((await request("GET", "/v2/user", { session })).status, 200);
  clock.advance(DAY_MS / 2 + MINUTE_MS);
  assert.equal((await request("GET", "/v2/user", { session })).status, 401);
  assert.equal(await changes.pruneSessions(null, clock.now), 0);
  assert.equal(await changes.pruneSessions(null, clock.now + 7 * DAY_MS), 1);
  assert.equal(await countRows("sessions"), 0);
});
