// Requests that are sent on a connection before earlier ones have their responses.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { parseMetrics } from "../health/metrics-text.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { listen } from "./raw-connection.ts";

const { app, admin, request } = await startOwnApp();
const port = await listen(app);

/** Sent by a new client, whose response is not cached. */
let clients = 0;
function asBytes(id: number): string {
  const headers = [`Authorization: Bearer ${admin.token}`, `X-Request-Id: ${id}`, `User-Agent: ${++clients}`];
  return `GET /v2/user HTTP/1.1\r\nHost: x\r\n${headers.join("\r\n")}\r\n\r\n`;
}

/**
 * Sends `total` requests, `window` before the first response and another one for each response; resolves to the ids and statuses
 * of the responses when all have come or the connection is closed.
 */
async function pipeline(total: number, window: number): Promise<string[]> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  const responses: string[] = [];
  let sent = 0;
  const send = (count: number) => {
    const ids = Array.from({ length: Math.min(count, total - sent) }, () => sent++);
    if (ids.length > 0) socket.write(ids.map(asBytes).join(""));
  };
  let rest = "";
  socket.on("error", () => undefined);
  socket.on("data", (text: string) => {
    const parts = (rest + text).split(/(?=HTTP\/1\.1 )/);
    // The last one may not be complete.
    rest = parts.pop() as string;
    if (rest.endsWith("}")) {
      parts.push(rest);
      rest = "";
    }
    for (const part of parts) {
      const [, status, id] = /^HTTP\/1\.1 (\d+)[^]*?\r\nx-request-id: (\d+)\r\n/.exec(part) ?? [];
      responses.push(`${id} ${status}`);
    }
    if (responses.length === total) socket.destroy();
    else send(parts.length);
  });
  const closed = once(socket, "close");
  send(window);
  await closed;
  return responses;
}

const all = (total: number) => Array.from({ length: total }, (_, id) => `${id} 200`);

/** Delays authentication until `ready` resolves. */
async function whileHeld<T>(ready: () => Promise<void> | undefined, work: () => Promise<T>): Promise<T> {
  const runner = app.runner as { findCaller: typeof app.runner.findCaller };
  const { findCaller } = runner;
  runner.findCaller = async (...of) => {
    await ready();
    return await findCaller(...of);
  };
  try {
    return await work();
  } finally {
    runner.findCaller = findCaller;
  }
}

test("a hundred pipelined requests all get their responses, in order", async () => {
  assert.deepEqual(await pipeline(100, 100), all(100));
});

test("any number of requests gets responses as long as few are in flight at a time", async () => {
  const total = 350;
  let asked = 0;
  let next: PromiseWithResolvers<void> | undefined;
  // Each waits for the one after it, so there is never none.
  const untilNext = () => {
    next?.resolve();
    next = Promise.withResolvers();
    return ++asked < total ? next.promise : undefined;
  };
  assert.deepEqual(await whileHeld(untilNext, () => pipeline(total, 10)), all(total));
});

test("a client with more than a hundred requests in flight is disconnected", async () => {
  const over = Promise.withResolvers<void>();
  assert.deepEqual(
    await whileHeld(
      () => over.promise,
      () => pipeline(101, 101),
    ),
    [],
  );
  over.resolve();
  const { text } = await request("GET", "/metrics");
  assert.equal(parseMetrics(text).value('reeve_http_overloads_total{cause="pipeline"}'), 1);
});
