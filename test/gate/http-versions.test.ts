// The gate within an application reads HTTP/1.1: a server of HTTP/2 refuses its requests, says so, and goes on.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:http2";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import fastify from "fastify";
import { createGate } from "../../src/gate/middleware.ts";
import { startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const project = await world.newProject({ firewallEnabled: true, rules: [] });
const said: string[] = [];
const gate = createGate({
  server: world.server,
  key: world.key,
  project,
  log: { info() {}, warn() {}, error: (_details, message) => said.push(message) },
});
after(() => gate.close());
await gate.ready;

async function statusOf(port: number): Promise<number> {
  const session = connect(`http://127.0.0.1:${port}`);
  const request = session.request({ ":path": "/" });
  request.resume();
  const [headers] = (await once(request, "response")) as [Record<string, number>];
  session.destroy();
  return headers[":status"] as number;
}

test("requests of HTTP/2 are refused with one line in the log", async () => {
  const handler = gate.node((_message, res) => res.end("reached"));
  const plain = createServer((message, res) =>
    handler(message as unknown as IncomingMessage, res as unknown as ServerResponse),
  );
  plain.listen(0, "127.0.0.1");
  await once(plain, "listening");
  const app = fastify({ http2: true });
  await app.register(gate.fastify);
  app.get("/", () => "reached");
  await app.listen({ port: 0, host: "127.0.0.1" });
  const ports = [plain, app.server].map((server) => (server.address() as AddressInfo).port);
  try {
    for (const port of [...ports, ...ports]) assert.equal(await statusOf(port), 505);
  } finally {
    plain.close();
    await app.close();
  }
  assert.equal(said.filter((line) => line.includes("HTTP/1.1")).length, 1);
});
