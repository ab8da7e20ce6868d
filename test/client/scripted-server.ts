// A server that answers as a test says, one response after the other, and records what it is asked.
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Scripted {
  readonly url: string;
  readonly asked: readonly Asked[];
}

export type Step = (response: ServerResponse) => void;

/** A response with JSON. */
export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
}

/** Closes the connection without a response. */
export const hangUp: Step = (response) => void response.socket?.destroy();

/** Never answers. */
export const silence: Step = () => undefined;

/** Answers with the steps in turn; the last one again and again. */
export async function startScripted(...steps: readonly Step[]): Promise<Scripted> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const step = steps[Math.min(asked.length, steps.length - 1)] as Step;
      asked.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      step(response);
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
