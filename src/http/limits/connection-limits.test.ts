// Clients that do not take what they asked for, before a server of Node's own.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../../test/wait-for.ts";
import { limitSlowClients } from "./connection-limits.ts";

/** More than sockets hold back by themselves. */
const BODY = Buffer.alloc(32 * 1_048_576, "x");
const LIMITS = { largeBytes: 1, bytesInAll: 3 * BODY.length, graceMs: 0, timeMs: 60_000 };

async function startServer(t: TestContext, limits: Partial<typeof LIMITS> = {}) {
  const seen = { cuts: 0 };
  const answers = limitSlowClients(() => seen.cuts++, { ...LIMITS, ...limits });
  const asked: ServerResponse[] = [];
  const server = createServer((_request, answer) => asked.push(answer));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    seen,
    /** Sends requests on a connection of its own and reads nothing. */
    async ask(count = 1): Promise<{ readonly socket: Socket; readonly answers: readonly ServerResponse[] }> {
      const from = asked.length;
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count));
      await waitFor("the requests", () => asked.length === from + count);
      return { socket, answers: asked.slice(from) };
    },
    respond(answer: ServerResponse | undefined): void {
      assert.ok(answer);
      answers.add(answer, BODY.length);
      answer.end(BODY);
    },
  };
}

async function isOver(answer: ServerResponse | undefined): Promise<void> {
  await waitFor("the end of an answer", () => answer?.closed);
}

test("a client that takes nothing is cut off after a while", async (t) => {
  const { ask, respond, seen } = await startServer(t, { timeMs: 100 });
  const { answers } = await ask();
  respond(answers[0]);
  await isOver(answers[0]);
  assert.equal(seen.cuts, 1);
});

test("an answer that waits for another one on its connection is cut off with that", async (t) => {
  const { ask, respond, seen } = await startServer(t, { timeMs: 100 });
  const { answers } = await ask(2);
  respond(answers[1]);
  await isOver(answers[0]);
  await isOver(answers[1]);
  assert.equal(seen.cuts, 1);
});

test("when there is too much in all, whoever has taken longest is cut off", async (t) => {
  const { ask, respond, seen } = await startServer(t);
  const given: ServerResponse[] = [];
  for (let count = 0; count < 5; count++) {
    const { answers } = await ask();
    given.push(...answers);
    respond(answers[0]);
  }
  await isOver(given[0]);
  await isOver(given[1]);
  assert.deepEqual(
    given.map((answer) => answer.closed),
    [true, true, false, false, false],
  );
  assert.equal(seen.cuts, 2);
});

test("nobody is cut off for others at once", async (t) => {
  const { ask, respond, seen } = await startServer(t, { graceMs: 60_000 });
  for (let count = 0; count < 5; count++) respond((await ask()).answers[0]);
  assert.equal(seen.cuts, 0);
});

test("answers that were taken, or that nobody waited for any more, take no room", async (t) => {
  const { ask, respond, seen } = await startServer(t);
  for (let count = 0; count < 4; count++) {
    const { socket, answers } = await ask();
    respond(answers[0]);
    socket.resume();
    await isOver(answers[0]);
  }
  for (let count = 0; count < 4; count++) {
    const { socket, answers } = await ask();
    socket.destroy();
    await isOver(answers[0]);
    respond(answers[0]);
  }
  for (let count = 0; count < 3; count++) respond((await ask()).answers[0]);
  assert.equal(seen.cuts, 0);
});
