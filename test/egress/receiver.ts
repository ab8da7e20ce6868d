// A receiver of webhooks on loopback, at the level of bytes: a test handles its connections, and the receiver counts them.
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { after } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import type { TlsOptions } from "node:tls";

export interface Receiver {
  readonly port: number;
  readonly url: string;
  /** All connections so far, and the most that were open at a time. */
  readonly connections: number;
  readonly mostOpen: number;
  /** Complete requests, with head and body. */
  readonly requests: readonly string[];
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>;
}

export interface ReceiverOptions {
  readonly host?: string;
  readonly port?: number;
  readonly tls?: TlsOptions;
  /** Called with each connection, before anything is read. */
  readonly onConnection?: (socket: Socket) => void;
}

/** The length of the first request in `text`; 0 while it is not complete. */
function requestLength(text: string): number {
  const headEnd = text.indexOf("\r\n\r\n") + 4;
  if (headEnd < 4) return 0;
  const length = headEnd + Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
  return text.length >= length ? length : 0;
}

/** Starts on a free port, and stops after the file's tests. `response` is called with each request. */
export async function startReceiver(
  response: (socket: Socket, request: string) => void,
  { host = "127.0.0.1", port = 0, tls, onConnection }: ReceiverOptions = {},
): Promise<Receiver> {
  const open = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  let mostOpen = 0;

  function serve(socket: Socket): void {
    connections++;
    open.add(socket);
    mostOpen = Math.max(mostOpen, open.size);
    socket.on("close", () => open.delete(socket)).on("error", () => {});
    onConnection?.(socket);
    let text = "";
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      for (let length = requestLength(text); length > 0; length = requestLength(text)) {
        const request = text.slice(0, length);
        text = text.slice(length);
        requests.push(request);
        response(socket, request);
      }
    });
  }
  const server: Server = tls ? createTlsServer(tls, serve) : createServer(serve);
  server.listen(port, host);
  await once(server, "listening");
  after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `${tls ? "https" : "http"}://${host}:${address.port}/hook`,
    requests,
    get connections() {
      return connections;
    },
    get mostOpen() {
      return mostOpen;
    },
    async allClosed() {
      await Promise.all(Array.from(open, (socket) => new Promise((resolve) => socket.on("close", resolve))));
    },
  };
}

/** A response as bytes, with the length of its body. */
export function httpResponse(status: number, body = "", headers: Readonly<Record<string, string>> = {}): string {
  const fields = Object.entries({ "Content-Length": String(body.length), ...headers });
  return `HTTP/1.1 ${status} Whatever\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}
