// Sends requests to a server from a process of its own: a fixed number a second, whether or not they are answered, or, without
// a rate, one after the other on each connection. Takes the plan as JSON in its first argument and prints the result.
import { createHash } from "node:crypto";
import { connect } from "node:net";
import type { Socket } from "node:net";
import type { Flood, FloodResult, KindResult } from "./flood.ts";

const flood = JSON.parse(process.argv[2] as string) as Flood;
const startedAt = performance.now();
const endsAt = startedAt + flood.seconds * 1000;
const results = new Map<string, KindResult>();
const counts = { sent: 0, unsent: 0, broken: 0 };
const free: Socket[] = [];
let open = 0;
let isOver = false;
let inFlight = 0;
const quiet = Promise.withResolvers<void>();

function resultOf(kind: string): KindResult {
  const known = results.get(kind);
  if (known) return known;
  const created: KindResult = { statuses: {}, codes: {}, withoutRetryAfter: 0, acceptedMs: [], refusedMs: [] };
  results.set(kind, created);
  return created;
}

/** One request out of the mix; names in it are unique. */
function nextRequest(): { readonly kind: string; readonly bytes: string } {
  const index = counts.sent % flood.mix.length;
  const { kind, method, path, body } = flood.mix[index] as Flood["mix"][number];
  const unique = createHash("sha256").update(`${process.pid} ${counts.sent}`).digest("hex").slice(0, 20);
  const text = body?.replaceAll("UNIQUE", unique) ?? "";
  const entity = body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${flood.token}\r\n${entity}\r\n`;
  return { kind, bytes: head + text };
}

function note(kind: string, head: string, body: string, sentAt: number): void {
  const result = resultOf(kind);
  const status = head.slice(9, 12);
  const now = performance.now();
  result.statuses[status] = (result.statuses[status] ?? 0) + 1;
  if (status.startsWith("2")) {
    result.acceptedMs.push([sentAt - startedAt, now - sentAt]);
    return;
  }
  const code = /"code":"(\w+)"/.exec(body)?.[1] ?? "none";
  result.codes[code] = (result.codes[code] ?? 0) + 1;
  result.refusedMs.push(now - sentAt);
  if (!/\r\nretry-after: \d+\r\n/i.test(head)) result.withoutRetryAfter++;
}

/** Called when a request ends, however it ends. */
function endOne(): void {
  inFlight--;
  if (inFlight === 0 && isOver) quiet.resolve();
}

function send(socket: Socket & { answered?: (head: string, body: string) => void }): void {
  const { kind, bytes } = nextRequest();
  const sentAt = performance.now();
  counts.sent++;
  inFlight++;
  socket.answered = (head, body) => {
    delete socket.answered;
    note(kind, head, body, sentAt);
    if (flood.perSecond === null && performance.now() < endsAt) send(socket);
    else free.push(socket);
    endOne();
  };
  socket.write(bytes);
}

function openSocket(): void {
  const socket: Socket & { answered?: (head: string, body: string) => void } = connect(flood.port, "127.0.0.1");
  open++;
  let received = "";
  socket.setNoDelay(true).setEncoding("latin1");
  socket.on("connect", () => send(socket));
  socket.on("data", (text: string) => {
    received += text;
    const end = received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (received.length < end + 4 + length) return;
    const [head, body] = [received.slice(0, end + 2), received.slice(end + 4)];
    received = "";
    socket.answered?.(head, body);
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    open--;
    if (socket.answered) {
      counts.broken++;
      endOne();
    }
    const at = free.indexOf(socket);
    if (at >= 0) free.splice(at, 1);
  });
}

/** Sends one due request: on a free connection, on a new one, or not at all. */
function launch(): void {
  const socket = free.pop();
  if (socket) send(socket);
  else if (open < flood.connections) openSocket();
  else counts.unsent++;
}

let due = 0;
const begun = process.cpuUsage();
function tick(): void {
  const now = performance.now();
  if (now >= endsAt) {
    void finish();
    return;
  }
  if (flood.perSecond === null) {
    while (open < flood.connections) openSocket();
  } else {
    const soFar = Math.floor(((now - startedAt) / 1000) * flood.perSecond);
    for (; due < soFar; due++) launch();
  }
  setTimeout(tick, 1);
}

async function finish(): Promise<void> {
  isOver = true;
  // A request without a response delays the end until its connection closes, or the test times out.
  if (inFlight > 0) await quiet.promise;
  const { user, system } = process.cpuUsage(begun);
  const result: FloodResult = {
    ...counts,
    cpuSeconds: (user + system) / 1e6,
    kinds: Object.fromEntries(results),
  };
  process.stdout.write(JSON.stringify(result), () => process.exit(0));
}

tick();
