// Clients that disconnect while the store looks them up: the server releases everything it holds for them.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { openResponse } from "../resources/event-streams.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { listen } from "./raw-connection.ts";

const logged: string[] = [];
const { app, admin, request } = await startOwnApp({}, (line) => logged.push(line));
const port = await listen(app);

const countConnections = () =>
  new Promise<number>((resolve) => app.server.server.getConnections((_error, count) => resolve(count)));

/** Sends a request on each of these connections, and closes them while the store authenticates them. */
async function askAndLeave(count: number, line: string, headers: readonly string[]): Promise<void> {
  const { runner } = app;
  const { findCaller } = runner;
  const held = Promise.withResolvers<void>();
  const found: Promise<unknown>[] = [];
  (runner as { findCaller: typeof findCaller }).findCaller = (...of) => {
    const caller = held.promise.then(() => findCaller(...of));
    found.push(caller);
    return caller;
  };
  const head = [`${line} HTTP/1.1`, "Host: x", `Authorization: Bearer ${admin.token}`, ...headers];
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1"));
  for (const socket of sockets) socket.write(`${head.join("\r\n")}\r\n\r\n`);
  await waitFor("the store to be asked", () => found.length === count);
  for (const socket of sockets) socket.destroy();
  await waitFor("the connections to be closed", async () => (await countConnections()) === 0);
  (runner as { findCaller: typeof findCaller }).findCaller = findCaller;
  held.resolve();
  await Promise.all(found);
}

test("an export whose client has gone releases its slot", async () => {
  // As many as a credential may have.
  await askAndLeave(10, "GET /v3/events/export", []);
  await waitFor("a place", async () => {
    const response = await openResponse(port, "/v3/events/export", admin.token);
    response.resume();
    return response.statusCode === 200;
  });
});

test("long bodies whose client has gone release their memory", async () => {
  // More than may be in flight.
  await askAndLeave(129, "POST /v1/teams", ["Content-Type: application/json", "Content-Length: 1048576"]);
  const { status } = await request("POST", "/v1/teams", { body: { slug: "x".repeat(100_000) } });
  assert.equal(status, 400);
});

test("a change whose client has reset the connection is not logged as a failure of the server", async () => {
  const asked = once(app.server.server, "request");
  const body = '{"slug":"sent-and-gone"}';
  const head = [
    "POST /v1/teams HTTP/1.1",
    "Host: x",
    `Authorization: Bearer ${admin.token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  const socket = connect(port, "127.0.0.1", () => {
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    socket.resetAndDestroy();
  });
  await asked;
  // It is decided by the time that a change that came after it is.
  assert.equal((await request("POST", "/v1/teams", { body: { slug: "sent-and-there" } })).status, 200);
  assert.deepEqual(logged, []);
});
