// A load generator that costs less than what it measures: raw keep-alive sockets, one request in flight on each,
// requests built beforehand, answers cut by Content-Length.
import { connect } from "node:net";
import type { Socket } from "node:net";

export interface Load {
  /** Of one server, or of several that share the connections. */
  readonly ports: readonly number[];
  readonly connections: number;
  readonly durationMs: number;
  /** Ends it earlier, after so many requests. */
  readonly limit?: number;
  /**
   * Never sleeps while it waits. Waking a sleeping client costs the server several microseconds per answer on a
   * virtual machine, and only a server that is slower than the client pays them, which would bend every ratio.
   */
  readonly isAwake: boolean;
  /** The bytes of the next request of a connection. */
  request(): Buffer;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers outside 200-299. */
  readonly failures: number;
}

const HEADER_END = Buffer.from("\r\n\r\n");
const CONTENT_LENGTH = /content-length: (\d+)/i;

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** The bytes of a request. */
export function encodeRequest({ method, path, body }: ApiRequest, token: string): Buffer {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const entity =
    text === undefined ? "\r\n" : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${entity}`);
}

/** The value that this share of all values lies below. */
export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function stayAwake(until: number): void {
  if (performance.now() < until) setImmediate(stayAwake, until);
}

/** Sends requests for the given time and answers what was measured. */
export async function runLoad({
  ports,
  connections,
  durationMs,
  limit = Infinity,
  isAwake,
  request,
}: Load): Promise<LoadResult> {
  const latencies: number[] = [];
  let failures = 0;
  let sent = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  if (isAwake) stayAwake(endsAt);

  function drive(socket: Socket, done: () => void): void {
    let sentAt = 0;
    let received: Buffer = Buffer.alloc(0);
    function send(): void {
      if (performance.now() >= endsAt || sent >= limit) {
        socket.end();
        done();
        return;
      }
      sent++;
      sentAt = performance.now();
      socket.write(request());
    }
    socket.on("data", (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const headerEnd = received.indexOf(HEADER_END);
      if (headerEnd < 0) return;
      const head = received.toString("latin1", 0, headerEnd);
      const length = Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0);
      if (received.length < headerEnd + 4 + length) return;
      if (head.charCodeAt(9) !== 0x32) failures++;
      latencies.push(performance.now() - sentAt);
      received = Buffer.alloc(0);
      send();
    });
    send();
  }

  await Promise.all(
    Array.from(
      { length: connections },
      (_, at) =>
        new Promise<void>((resolve, reject) => {
          const address = { port: ports[at % ports.length] as number, host: "127.0.0.1", noDelay: true };
          const socket: Socket = connect(address, () => drive(socket, resolve));
          socket.on("error", reject);
        }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const sorted = Float64Array.from(latencies).toSorted();
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    failures,
  };
}
