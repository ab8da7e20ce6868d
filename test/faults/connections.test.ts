// Clients that keep connections open and send nothing, or almost nothing: other clients are served all the same. The system's
// limit of open files bounds their number.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client } from "undici";
import { serveReeve, stopReeve } from "../cli/reeve-process.ts";
import { waitFor } from "../harness/wait-for.ts";
import { allowedConnections } from "./open-files.ts";

const IDLE = allowedConnections(10_000);
const SLOW = allowedConnections(1_000);
const AT_ONCE = 100;
const MB = 1_048_576;
const token = "an_administrators_token_of_this_test_file";
const authorization = `Authorization: Bearer ${token}\r\n`;

const dataDir = mkdtempSync(join(tmpdir(), "reeve-connections-"));
const server = await serveReeve({
  dataDir,
  bootstrapToken: token,
  rateLimit: "0",
  logLevel: "fatal",
  maxConnections: String(IDLE),
});
const port = Number(new URL(server.url).port);
const sockets = new Set<Socket>();
after(async () => {
  for (const socket of sockets) socket.destroy();
  await stopReeve(server);
  rmSync(dataDir, { recursive: true, force: true });
});

interface Held {
  readonly socket: Socket;
  received: string;
}

/** Opens connections that send the given bytes and wait; each records what it receives while it is open. */
async function hold(count: number, bytes: string): Promise<Held[]> {
  const held: Held[] = [];
  const open = async () => {
    while (held.length < count) {
      const socket = connect(port, "127.0.0.1");
      const entry: Held = { socket, received: "" };
      held.push(entry);
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
      socket.setEncoding("latin1").on("data", (text: string) => (entry.received += text));
      // oxlint-disable-next-line no-await-in-loop -- few at a time
      await once(socket, "connect");
      if (bytes !== "") socket.write(bytes);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, open));
  return held;
}

/** A read and a change on new connections. */
async function assertServed(name: string): Promise<void> {
  const client = new Client(server.url);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const read = await client.request({ method: "GET", path: "/v2/user", headers });
  await read.body.dump();
  const change = await client.request({
    method: "POST",
    path: "/v1/teams",
    headers,
    body: JSON.stringify({ slug: name }),
  });
  await change.body.dump();
  await client.close();
  assert.deepEqual([read.statusCode, change.statusCode], [200, 200]);
}

async function readMetric(pattern: RegExp): Promise<number> {
  const client = new Client(server.url);
  const { body } = await client.request({ method: "GET", path: "/metrics" });
  const text = await body.text();
  await client.close();
  return Number(pattern.exec(text)?.[1]);
}

const memoryMb = async () => (await readMetric(/^process_resident_memory_bytes (\S+)/m)) / MB;

const closed = (held: readonly Held[]) =>
  Promise.all(held.map(async ({ socket }) => socket.closed || (await once(socket, "close"))));
const count = (held: readonly Held[], isMeant: (entry: Held) => boolean) => held.filter(isMeant).length;

test(`${IDLE} idle connections are closed in favour of clients that send requests`, async () => {
  await assertServed("before-idle");
  const memoryBefore = await memoryMb();
  const idle = await hold(IDLE, "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");
  await waitFor("all to be answered or closed", () =>
    idle.every(({ received, socket }) => received !== "" || socket.destroyed) ? true : undefined,
  );
  for (let n = 0; n < 20; n++) await assertServed(`beside-idle-${n}`);
  const memory = (await memoryMb()) - memoryBefore;
  const open = count(idle, ({ socket }) => !socket.destroyed);
  console.log({ idle: IDLE, stillOpen: open, kilobytesEach: Math.round((memory * 1_024) / IDLE) });
  assert.ok(open < IDLE, "nobody gave way");
  assert.ok(open > IDLE * 0.9, `only ${open} of ${IDLE} are left`);
  assert.ok((await readMetric(/^reeve_http_overloads_total\{cause="connections"\} (\d+)/m)) > 0);
  assert.ok(memory < 64 + IDLE / 20, `${memory} MB`);
  for (const { socket } of idle) socket.destroy();
});

test(`${SLOW} slow connections delay no other client, and are closed`, async () => {
  const third = Math.floor(SLOW / 3);
  const memoryBefore = await memoryMb();
  const slowHeaders = await hold(third, `GET /v2/user HTTP/1.1\r\nHost: x\r\n`);
  const slowBodies = await hold(
    third,
    `POST /v1/teams HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`,
  );
  const slowReaders = await hold(third, "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n");
  for (const { socket } of slowReaders) socket.pause();
  // Enough bytes to count as alive, and never a complete request.
  const dripping = setInterval(() => {
    for (const { socket } of slowHeaders) if (socket.writable) socket.write("X-Slow: 1\r\n");
    for (const { socket } of slowBodies) if (socket.writable) socket.write(" ");
  }, 1_000);
  try {
    for (let n = 0; n < 20; n++) await assertServed(`beside-slow-${n}`);
    const memory = (await memoryMb()) - memoryBefore;
    console.log({ slow: 3 * third, memoryMb: Math.round(memory) });
    assert.ok(memory < 128, `${memory} MB`);
    await closed(slowHeaders);
    assert.equal(
      count(slowHeaders, ({ received }) => /^HTTP\/1\.1 408 [^]*"request_timeout"/.test(received)),
      third,
    );
    await closed(slowBodies);
    assert.equal(
      count(slowBodies, ({ received }) => /^HTTP\/1\.1 408 [^]*"request_timeout"/.test(received)),
      third,
    );
    await assertServed("after-slow");
  } finally {
    clearInterval(dripping);
  }
});
