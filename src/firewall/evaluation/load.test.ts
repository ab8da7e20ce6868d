// Evaluating requests with slow expressions does not delay other requests.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { FLAGS, FOREVER_MS, mixedUrl, openSlow } from "../../../test/resources/slow-rules.ts";

const MAX_TURN_MS = 50;
/** The code's own time is in each sample; a busy machine adds to some. */
const ROUNDS = 3;
/**
 * The most CPU time, in milliseconds, of this thread between two turns of its event loop until the work is done. One
 * timer looks: a promise for each turn is garbage, whose collection would be measured.
 */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1_000);
  }, 1);
  await work.finally(() => clearInterval(timer));
  return longest;
}

test("while three evaluations with slow expressions run, other requests are not delayed", async () => {
  // On a busy machine a second of CPU time may take long.
  const client = await startOwnApp(FLAGS, undefined, { evaluation: { maxWaitMs: FOREVER_MS } });
  const { createUser, request } = client;
  const slow = [await openSlow(client), await openSlow(client), await openSlow(client)];
  const other = await createUser();
  // The first call of each kind compiles code and is not measured.
  await slow[0]?.evaluate([{ url: "/" }]);
  await request("GET", "/health/live");
  await request("GET", "/v2/user", { token: other.token });
  const turns: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const order: string[] = [];
    const tried = slow.map(async ({ evaluate }, index) => {
      const { status } = await evaluate([{ url: mixedUrl(round * slow.length + index) }]);
      order.push(`tried ${status}`);
    });
    const asked = (async () => {
      const live = await request("GET", "/health/live");
      const user = await request("GET", "/v2/user", { token: other.token });
      order.push(`answered ${live.status} ${user.status}`);
    })();
    turns.push(await longestTurn(Promise.all([...tried, asked])));
    assert.deepEqual(order, ["answered 200 200", "tried 200", "tried 200", "tried 200"]);
    if (Math.min(...turns) < MAX_TURN_MS) return;
  }
  assert.fail(`this thread was busy for ${turns.join(", ")} ms at a stretch`);
});

test("an evaluation whose client disconnects is aborted, running or waiting", async () => {
  const client = await startOwnApp(FLAGS, undefined, {
    evaluation: { deadlineMs: FOREVER_MS, maxWaitMs: FOREVER_MS },
  });
  const { evaluate, path, token } = await openSlow(client, 500);
  await client.app.server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = client.app.server.server.address() as AddressInfo;
  const body = JSON.stringify({ requests: Array.from({ length: 400 }, (_, index) => ({ url: mixedUrl(index) })) });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const calls = Array.from({ length: 3 }, () => {
    const call = sendRequest({ host: "127.0.0.1", port, path, method: "POST", headers }).on("error", () => undefined);
    call.end(body);
    return call;
  });
  const arrived = once(client.app.server.server, "request");
  await arrived;
  const waiting = evaluate([{ url: "/" }]);
  // The same server responds to this, so it has read the other requests by then.
  await client.request("GET", "/v2/user");
  for (const call of calls) call.destroy();
  assert.equal((await waiting).status, 200);
});
