// What a peek leaves of a request: the handler behind it reads the same bytes as without it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { buffer } from "node:stream/consumers";
import { PassThrough } from "node:stream";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { waitFor } from "../../../test/harness/wait-for.ts";
import { peekBody } from "./peek-body.ts";

const MOST = 1_000;

type Way = "data" | "iterate" | "pipe" | "late";

/** How the handler behind the peek reads. */
const READ: Readonly<Record<Way, (message: IncomingMessage) => Promise<Buffer>>> = {
  data: async (message) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(message, "end");
    return Buffer.concat(chunks);
  },
  iterate: (message) => buffer(message),
  async pipe(message) {
    const through = new PassThrough();
    const [read] = await Promise.all([buffer(through), pipeline(message, through)]);
    return read;
  },
  async late(message) {
    await setTimeout(30);
    return await buffer(message);
  },
};

const aborted: unknown[] = [];
const server = createServer((message, res) => {
  const [, way = ""] = /^\/(\w+)/.exec(message.url ?? "") ?? [];
  void (async () => {
    const peeked = await peekBody(message, MOST);
    const read = await READ[way as Way](message);
    const same = typeof peeked === "string" || Buffer.from(peeked).equals(read);
    res.setHeader("connection", "keep-alive");
    res.end(JSON.stringify({ peeked: typeof peeked === "string" ? peeked : peeked.length, read: read.length, same }));
  })().catch((error: unknown) => aborted.push(error));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
after(() => {
  server.close();
  server.closeAllConnections();
});

const url = (way: string) => `http://127.0.0.1:${port}/${way}`;

async function* piecesOf(size: number, count: number) {
  for (let at = 0; at < count; at++) {
    yield Buffer.alloc(size, 0x61 + (at % 26));
    await setTimeout(2);
  }
}

for (const way of Object.keys(READ)) {
  test(`bodies that are read by ${way} are whole, however they come and whatever their size`, async () => {
    for (const size of [0, 1, MOST - 1, MOST, MOST + 1, 70_000, 1_000_000]) {
      const response = await fetch(url(way), { method: "POST", body: Buffer.alloc(size, "x") });
      const peeked = size > MOST ? "too_large" : size;
      assert.deepEqual(await response.json(), { peeked, read: size, same: true }, `${size} bytes`);
    }
    for (const [size, count] of [
      [100, 5],
      [100, 10],
      [300, 4],
      [40_000, 4],
      [0, 0],
    ] as const) {
      const body = ReadableStream.from(piecesOf(size, count));
      const response = await fetch(url(way), { method: "POST", body, duplex: "half" });
      const peeked = size * count > MOST ? "too_large" : size * count;
      assert.deepEqual(await response.json(), { peeked, read: size * count, same: true }, `${count} of ${size} bytes`);
    }
  });
}

test("requests one after the other on a connection are not mixed up", async () => {
  const socket = connect(port, "127.0.0.1");
  const post = (text: string) => `POST /iterate HTTP/1.1\r\nHost: x\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  socket.write(post("one") + post("second") + post(""));
  let seen = "";
  while ((seen.match(/"same"/g) ?? []).length < 3) seen += String((await once(socket, "data"))[0]);
  socket.destroy();
  assert.deepEqual(
    [...seen.matchAll(/"read":(\d+)/g)].map(([, read]) => read),
    ["3", "6", "0"],
  );
});

test("a client that leaves in the middle ends the wait", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.write("POST /iterate HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\nhalf");
  await once(server, "request");
  socket.destroy();
  assert.match(String(await waitFor("the end of the wait", () => aborted[0])), /the client has left/);
});
