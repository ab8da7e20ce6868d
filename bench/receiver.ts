// A receiver of webhooks in a process of its own: raw sockets that take whole requests, answer 200 at once, and count. It has as many
// origins as its argument says, and paths that fail or are slow, which do not count. It costs less than what it measures.
// Over IPC it is told what to wait for, and says when that has come.
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { Arrival, Arrivals, Expectation } from "./webhook-processes.ts";
import { FAILING_PATHS, machineMs } from "./webhook-processes.ts";

const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok");
const FAILURE = Buffer.from("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
const SLOW_MS = 10_000;
const HEADER_END = Buffer.from("\r\n\r\n");
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;
/** What ends the body of a delivery. */
const SEQUENCE = /"sequence":(\d+)\}$/;
const SEQUENCE_BYTES = 32;
const PATH = /^POST (\S+)/;
const PATH_BYTES = 64;

let expected: Expectation | undefined;
let count = 0;
let firstAt = 0;
let times: Arrival[] = [];

function report(): void {
  if (!expected || count < expected.requests) return;
  process.send?.({ count, firstAt, lastAt: machineMs(), times } satisfies Arrivals);
  expected = undefined;
}

function note(path: string, request: Buffer): void {
  if (count === 0) firstAt = machineMs();
  count++;
  if (expected?.hasTimes) {
    const sequence = SEQUENCE.exec(request.toString("latin1", request.length - SEQUENCE_BYTES))?.[1];
    times.push({ path, sequence: Number(sequence), at: machineMs() });
  }
  report();
}

function answer(socket: Socket, request: Buffer): void {
  const path = PATH.exec(request.toString("latin1", 0, PATH_BYTES))?.[1] ?? "/";
  if (path === FAILING_PATHS.hang) return;
  if (path === FAILING_PATHS.error) socket.write(FAILURE);
  else if (path === FAILING_PATHS.slow) setTimeout(() => socket.writable && socket.write(ANSWER), SLOW_MS);
  else {
    note(path, request);
    socket.write(ANSWER);
  }
}

/** One request at a time, as clients without pipelining send them. */
function serve(socket: Socket): void {
  let received: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const headerEnd = received.indexOf(HEADER_END);
    if (headerEnd < 0) return;
    const length = Number(CONTENT_LENGTH.exec(received.toString("latin1", 0, headerEnd))?.[1] ?? 0);
    if (received.length < headerEnd + HEADER_END.length + length) return;
    const request = received;
    received = Buffer.alloc(0);
    answer(socket, request);
  });
  socket.on("error", () => socket.destroy());
}

process.on("message", (message: Expectation) => {
  expected = message;
  count = 0;
  times = [];
});

const servers = Array.from({ length: Number(process.argv[2]) }, () => createServer(serve).listen(0, "127.0.0.1"));
await Promise.all(servers.map((server) => once(server, "listening")));
process.send?.(servers.map((server) => (server.address() as AddressInfo).port));
