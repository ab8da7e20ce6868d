// Clients that read large responses slowly: when there are too many, the slowest are disconnected.
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { mock, test } from "node:test";
import { openFeed } from "../resources/event-feed.ts";
import { listen, openResponse } from "../resources/event-streams.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { parseMetrics } from "../health/metrics-text.ts";

const app = await startOwnApp();
const { request, createUser, createTeam } = app;
const { plant } = openFeed(app);

/** A response of 15 MB: five are more than may wait, and each is more than sockets hold back by themselves. */
const EVENTS = 60;
const PAYLOAD = "x".repeat(250_000);
const CUT_OFF = 'reeve_http_overloads_total{cause="responses"}';

async function isComplete(response: IncomingMessage): Promise<boolean> {
  const length = Number(response.headers["content-length"]);
  let received = 0;
  try {
    for await (const chunk of response) received += (chunk as Buffer).length;
  } catch {
    return false;
  }
  return received === length;
}

test("the oldest large responses are aborted for new ones, but none within the grace period", async () => {
  const port = await listen(app.app);
  const user = await createUser();
  const team = await createTeam(user);
  await plant(
    team,
    Array.from({ length: EVENTS - 1 }, () => ({ payload: { text: PAYLOAD } })),
  );
  const open = () => openResponse(port, `/v3/events?teamId=${team.id}&withPayload=true&limit=100`, user.token);
  const cutOff = async () => parseMetrics((await request("GET", "/metrics")).text).value(CUT_OFF);
  // The clock does not advance while responses are opened, however long that takes.
  let now = performance.now();
  mock.method(performance, "now", () => now);
  const slow: IncomingMessage[] = [];
  for (let count = 0; count < 5; count++) slow.push(await open());
  assert.equal(await cutOff(), 0);
  now += 3_000;
  slow.push(await open());
  assert.equal(await cutOff(), 2);
  assert.deepEqual(await Promise.all(slow.map(isComplete)), [false, false, true, true, true, true]);
});
