// Trying requests takes as long as expressions make it take, and nobody else waits for that.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { startOwnApp, uniqueName } from "../../../test/harness.ts";
import type { TestApp } from "../../../test/harness.ts";

const SLOW = "(?:a|b)*a(?:a|b){200}[xy]";
const FLAGS = { firewallCostLimit: "10000000" };
const MAX_TURN_MS = 50;
/** What the code itself takes it takes in each of them; a busy machine adds to some. */
const ROUNDS = 3;
/** What is not given up outlasts the test. */
const FOREVER_MS = 3_600_000;

/** Each other text is another one to an expression. */
function mixedUrl(seed: number): string {
  let state = seed;
  const letters = Array.from({ length: 1_900 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state & 0x1_0000 ? "a" : "b";
  });
  return `/${letters.join("")}`;
}

/** A project whose rules have this expression, and what a request to try on it takes. */
async function openSlow({ createUser, request }: TestApp, rules = 88) {
  const { token } = await createUser();
  const query = `projectId=${uniqueName("slow")}`;
  const rule = {
    name: "Slow",
    active: true,
    conditionGroup: [{ conditions: [{ type: "path", op: "re", value: SLOW }] }],
    action: { mitigate: { action: "deny" } },
  };
  const body = { firewallEnabled: true, rules: Array.from({ length: rules }, () => rule) };
  assert.equal((await request("PUT", `/v1/firewalls?${query}`, { token, body })).status, 200);
  const path = `/v1/firewalls/active/evaluate?${query}`;
  return { token, path, evaluate: (requests: object[]) => request("POST", path, { token, body: { requests } }) };
}

/** The most CPU that this thread takes between two turns of its event loop, until the work is done. */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  const state = { isDone: false };
  let longest = 0;
  const ended = work.finally(() => (state.isDone = true));
  while (!state.isDone) {
    const before = process.threadCpuUsage();
    await nextTurn();
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
  }
  await ended;
  return longest;
}

test("while three requests are tried on expressions that take seconds, others are answered at once", async () => {
  // On a busy machine a thread may take long for a second's work.
  const client = await startOwnApp(FLAGS, undefined, { evaluation: { maxWaitMs: FOREVER_MS } });
  const { createUser, request } = client;
  const slow = [await openSlow(client), await openSlow(client), await openSlow(client)];
  const other = await createUser();
  // What is compiled at the first call of each kind is no part of it.
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

test("what takes too long is given up, and refused by name; what comes next is tried", async () => {
  const client = await startOwnApp(FLAGS, undefined, { evaluation: { deadlineMs: 500, maxWaitMs: FOREVER_MS } });
  const { evaluate } = await openSlow(client);
  const { status, body } = await evaluate(Array.from({ length: 400 }, (_, index) => ({ url: mixedUrl(index) })));
  assert.deepEqual([status, body.error.code, body.error.field], [400, "firewall_too_costly", "body.requests"]);
  assert.match(body.error.message, /^requests: expected what takes at most 0\.5 s to try: try fewer/);
  assert.equal((await evaluate([{ url: "/" }])).status, 200);
});

test("what its client no longer waits for is given up, whether it runs or waits", async () => {
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
  // Answered by the same server, so the others have been read by then.
  await client.request("GET", "/v2/user");
  for (const call of calls) call.destroy();
  assert.equal((await waiting).status, 200);
});
