// Clients that do not read their responses, on a plain Node server.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../../../test/harness/wait-for.ts";
import { limitSlowClients } from "./slow-clients.ts";

/** More than sockets buffer. */
const BODY = Buffer.alloc(32 * 1_048_576, "x");
const LIMITS = { largeBytes: 1, bytesInAll: 3 * BODY.length, graceMs: 0, timeMs: 60_000 };

async function startServer(t: TestContext, limits: Partial<typeof LIMITS> = {}) {
  const seen = { cuts: 0 };
  const responses = limitSlowClients(() => seen.cuts++, { ...LIMITS, ...limits });
  const asked: ServerResponse[] = [];
  const server = createServer((_request, response) => asked.push(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    seen,
    /** Sends requests on a connection of its own and reads nothing. */
    async ask(count = 1): Promise<{ readonly socket: Socket; readonly responses: readonly ServerResponse[] }> {
      const from = asked.length;
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count));
      await waitFor("the requests", () => asked.length === from + count);
      return { socket, responses: asked.slice(from) };
    },
    respond(response: ServerResponse | undefined): void {
      assert.ok(response);
      responses.add(response, BODY.length);
      response.end(BODY);
    },
  };
}

async function isOver(response: ServerResponse | undefined): Promise<void> {
  await waitFor("the end of an answer", () => response?.closed);
}

test("a client that reads nothing is disconnected after a time", async (t) => {
  const { ask, respond, seen } = await startServer(t, { timeMs: 100 });
  const { responses } = await ask();
  respond(responses[0]);
  await isOver(responses[0]);
  assert.equal(seen.cuts, 1);
});

test("a response that waits for another one on its connection is closed with that one", async (t) => {
  const { ask, respond, seen } = await startServer(t, { timeMs: 100 });
  const { responses } = await ask(2);
  respond(responses[1]);
  await isOver(responses[0]);
  await isOver(responses[1]);
  assert.equal(seen.cuts, 1);
});

test("when responses take too much memory together, the clients that have taken longest are disconnected", async (t) => {
  const { ask, respond, seen } = await startServer(t);
  const given: ServerResponse[] = [];
  for (let count = 0; count < 5; count++) {
    const { responses } = await ask();
    given.push(...responses);
    respond(responses[0]);
  }
  await isOver(given[0]);
  await isOver(given[1]);
  assert.deepEqual(
    given.map((response) => response.closed),
    [true, true, false, false, false],
  );
  assert.equal(seen.cuts, 2);
});

test("no client is disconnected for others within the grace period", async (t) => {
  const { ask, respond, seen } = await startServer(t, { graceMs: 60_000 });
  for (let count = 0; count < 5; count++) respond((await ask()).responses[0]);
  assert.equal(seen.cuts, 0);
});

test("responses that were read, or whose client has gone, no longer count", async (t) => {
  const { ask, respond, seen } = await startServer(t);
  for (let count = 0; count < 4; count++) {
    const { socket, responses } = await ask();
    respond(responses[0]);
    socket.resume();
    await isOver(responses[0]);
  }
  for (let count = 0; count < 4; count++) {
    const { socket, responses } = await ask();
    socket.destroy();
    await isOver(responses[0]);
    respond(responses[0]);
  }
  for (let count = 0; count < 3; count++) respond((await ask()).responses[0]);
  assert.equal(seen.cuts, 0);
});
