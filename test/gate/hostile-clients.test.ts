// Clients that break off, go away or repeat what nobody can read: the gate stays up, gives one answer to a request, and keeps its log short.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, connect } from "node:net";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";
import { echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const project = await world.newProject({ firewallEnabled: true, rules: [] });
const hosts = [{ host: "*", team: world.team.slug, project }];
const gate = await world.startGate({ hosts, upstream: (await listenOn(echo)).url });

/** An application that answers everything with these bytes, and keeps the connection. */
async function answering(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write(bytes));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a body that breaks behind a response adds nothing to what the application has said", async () => {
  const began = "HTTP/1.1 200 OK\r\nContent-Length: ";
  for (const [upstream, until] of [
    [await answering(`${began}5\r\n\r\nwhole`), /whole/],
    [await answering(`${began}9\r\n\r\nhalf`), /half/],
  ] as const) {
    const { url } = await world.startGate({ hosts, upstream });
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let got = "";
    socket.on("data", (data: Buffer) => (got += data.toString("latin1")));
    socket.on("error", () => undefined);
    socket.write("POST / HTTP/1.1\r\nHost: shop.test\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    await waitFor("the response", () => until.test(got));
    socket.write("zz\r\n");
    await once(socket, "close");
    assert.deepEqual(got.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200"]);
    assert.match(got, /(?:half|whole)$/);
  }
});

test("a client that asks for a tunnel and is gone ends no gate", async (t) => {
  const uncaught: unknown[] = [];
  const collect = (error: unknown) => void uncaught.push(error);
  process.on("uncaughtException", collect);
  t.after(() => process.off("uncaughtException", collect));
  for (let at = 0; at < 200; at++) {
    const socket = connect(Number(new URL(gate.url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(`CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test\r\n\r\n${"x".repeat(at * 50)}`);
    socket.resetAndDestroy();
  }
  assert.equal((await sendTo(gate.url, "/page")).status, 200);
  assert.deepEqual(uncaught, []);
});

test("what strangers send fills no log", async () => {
  const warned: { details: object; message: string }[] = [];
  const log = {
    info() {},
    warn: (details: object, message: string) => void warned.push({ details, message }),
    error() {},
  };
  const asked = await world.startGate({ hosts }, { log });
  const away = await world.startGate({ hosts, upstream: `http://127.0.0.1:${await freePort()}` }, { log });
  const foreign = `x_${"y".repeat(5_000)}`;
  for (let at = 0; at < 20; at++) {
    const url = `/.well-known/reeve/check/${"x".repeat(5_000)}`;
    assert.equal((await sendTo(asked.url, url, { headers: { host: "shop.test", [foreign]: "1" } })).status, 403);
    assert.equal((await sendTo(away.url, "/")).status, 502);
  }
  for (const start of ["a proxy did not say", "the application does not answer"]) {
    assert.equal(warned.filter(({ message }) => message.startsWith(start)).length, 1, start);
  }
  assert.ok(JSON.stringify(warned).length < 2_000);
});
