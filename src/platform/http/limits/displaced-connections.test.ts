// Which of the connections that wait for their client gives way first: the one that has sent or read nothing for longest.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openTestApp } from "../../../../test/harness/test-app.ts";
import { waitFor } from "../../../../test/harness/wait-for.ts";
import { listen } from "../../../../test/http/raw-connection.ts";
import { limitConnections } from "./connection-limits.ts";

const MAX = 12;
const MIB = 1_048_576;
/** More than the system's buffers of a connection take. */
const MUCH = 16 * MIB;

/** Opens connections of an address each, one after the other. */
function createStrangers(t: TestContext, port: number) {
  const sockets: Socket[] = [];
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  return {
    async open(): Promise<Socket> {
      const localAddress = `127.0.1.${sockets.length + 1}`;
      const socket = connect({ port, host: "127.0.0.1", localAddress });
      sockets.push(socket);
      socket.on("error", () => undefined);
      await once(socket, "connect");
      return socket;
    },
  };
}

/** A server whose one response is written by `respond`. Its connections are those of `sockets`, in their order. */
async function startServer(t: TestContext, respond: (response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    connections.enter(request, response);
    respond(response);
  });
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket.on("error", () => undefined)));
  const connections = limitConnections(server, {
    max: MAX,
    isProxy: () => false,
    refusal: () => "HTTP/1.1 503 Service Unavailable\r\n\r\n",
    note: () => undefined,
    recordConnection: () => undefined,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const strangers = createStrangers(t, (server.address() as AddressInfo).port);
  /** Opens one more, and returns the number of the connection that gave way. */
  async function displace(): Promise<number> {
    const before = sockets.filter(({ destroyed }) => destroyed).length;
    await strangers.open();
    await waitFor("one to give way", () => sockets.filter(({ destroyed }) => destroyed).length > before);
    const [gone] = sockets.entries().filter(([at, { destroyed }]) => destroyed && !seen.has(at));
    seen.add(gone?.[0] as number);
    return gone?.[0] as number;
  }
  const seen = new Set<number>();
  return { sockets, strangers, displace };
}

/** Reads this many bytes more. */
async function read(socket: Socket, bytes: number): Promise<void> {
  const from = socket.bytesRead;
  socket.resume();
  await waitFor("bytes", () => socket.bytesRead - from >= bytes);
  socket.pause();
}

const LONG_RESPONSES = {
  "in chunks": (response: ServerResponse) => {
    const chunk = Buffer.alloc(MIB / 4);
    const write = () => {
      while (response.write(chunk));
      response.once("drain", write);
    };
    write();
  },
  "at once": (response: ServerResponse) => void response.end(Buffer.alloc(16 * MUCH)),
};

for (const [name, respond] of Object.entries(LONG_RESPONSES)) {
  test(`a response ${name} that is read slowly outlives connections that send nothing, and gives way when nobody reads it`, async (t) => {
    const { sockets, strangers, displace } = await startServer(t, respond);
    const reader = await strangers.open();
    reader.pause().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await read(reader, 1);
    while (sockets.length < MAX) await strangers.open();

    // Each in its turn, although the reader asked first.
    for (let at = 1; at < MAX; at++) {
      await read(reader, MUCH);
      assert.equal(await displace(), at);
    }
    const last: number[] = [];
    for (let at = 0; at < MAX; at++) last.push(await displace());
    assert.ok(last.includes(0), `gave way: ${last.join(", ")}`);
  });
}

const FORM =
  "POST /v1/identity/exchange HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n";

test("a body that arrives slowly outlives connections that send nothing, and a body that has stopped does not", async (t) => {
  const { app, remove } = await openTestApp({ maxConnections: String(MAX) });
  t.after(remove);
  const sockets: Socket[] = [];
  app.server.server.on("connection", (socket: Socket) => sockets.push(socket));
  const strangers = createStrangers(t, await listen(app));
  async function beginForm(): Promise<Socket> {
    const form = await strangers.open();
    form.write(FORM);
    await once(form, "data");
    return form;
  }
  const [slow, stopped] = [await beginForm(), await beginForm()];
  while (sockets.length < MAX) await strangers.open();
  const bytes = () => sockets[0]?.bytesRead as number;
  const before = bytes();
  slow.write("grant");
  await waitFor("the bytes to arrive", () => bytes() > before);
  stopped.resume();
  await strangers.open();
  await waitFor("one to give way", () => sockets.some(({ destroyed, writableEnded }) => destroyed || writableEnded));
  assert.deepEqual(
    sockets.map(({ destroyed, writableEnded }) => destroyed || writableEnded),
    [false, true, ...Array<boolean>(MAX - 1).fill(false)],
  );
});
