// A receiver of webhooks on loopback, which responds as a test wants and records its requests.
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { Webhook } from "standardwebhooks";

/** Settings of an instance that may send to receivers. */
export const LOOPBACK = { egressAllow: "127.0.0.0/8", egressPorts: "1-65535" } as const;

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
type Body = any;

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Body;
  /** When all of it had arrived, by the process's own clock. */
  readonly at: number;
}

export type Responder = (response: ServerResponse, received: Received) => void;

export interface Receiver {
  /** Without a path. */
  readonly url: string;
  readonly received: readonly Received[];
  /** Sets how the receiver responds from now on. */
  respond(how: Responder | number): void;
  /** Resolves when `isEnough` is true of the received requests; fails after a minute. */
  until(isEnough: (received: readonly Received[]) => boolean): Promise<readonly Received[]>;
  /** Throws when the request is not signed with the secret. */
  verify(received: Received, secret: string): void;
}

const GIVE_UP_AFTER_MS = 60_000;

/** Starts the receiver. It is closed after the file's tests. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let answering: Responder = (response) => response.end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const one = { path: request.url ?? "", headers: request.headers, text, body: JSON.parse(text), at: Date.now() };
      received.push(one);
      answering(response, one);
      for (const look of waiting) look();
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    respond(how) {
      answering = typeof how === "number" ? (response) => response.writeHead(how).end() : how;
    },
    until(isEnough) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`not received in time; ${received.length} so far`));
        }, GIVE_UP_AFTER_MS);
        function look() {
          if (!isEnough(received)) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(received);
        }
        waiting.add(look);
        look();
      });
    },
    verify({ text, headers }, secret) {
      new Webhook(secret).verify(text, headers as Record<string, string>);
    },
  };
}
