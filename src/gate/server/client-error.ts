// Bytes that are no request: Node.js reads no further, and nothing is decided, but it is counted as a request that was refused.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { DECISION_HEADER, decisionHeader } from "../decision.ts";
import type { GateContext } from "./gate-context.ts";
import { rawHead } from "./raw-response.ts";
import { textResponse } from "./send.ts";

/** Of the first line and all headers. Proxies in front pass on 32 KiB (nginx) and more, and add their own. */
export const MAX_HEAD_BYTES = 65_536;

interface Refusal {
  readonly status: number;
  readonly expected: string;
}

const TIMEOUT = "ERR_HTTP_REQUEST_TIMEOUT";
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, expected: `at most ${MAX_HEAD_BYTES / 1_024} KiB of headers` },
  [TIMEOUT]: { status: 408, expected: "a request that arrives in time" },
};
const NO_REQUEST: Refusal = { status: 400, expected: "an HTTP/1.1 request" };

/** Ends a connection. On some nothing was ever sent: `isRequest` counts what was. */
function refuse(
  { decider }: Pick<GateContext, "decider">,
  socket: Duplex,
  { status, expected }: Refusal,
  isRequest: boolean,
): void {
  const response = textResponse(status, `Expected ${expected}.`);
  const decided = isRequest && { [DECISION_HEADER]: decisionHeader(decider.refuseUnreadable(status)) };
  const head = rawHead({ ...response, headers: { ...response.headers, ...decided } });
  socket.end(head + response.body, () => socket.destroy());
}

/** A tunnel to another host. */
export function refuseConnect(context: Pick<GateContext, "decider">, socket: Duplex): void {
  // Node.js has given the connection away: nobody else listens when the client is gone.
  socket.on("error", () => socket.destroy());
  refuse(context, socket, { status: 405, expected: "another method than CONNECT" }, true);
}

/** The response to the last request of a connection. */
const responses = new WeakMap<Duplex, ServerResponse>();

export function recordResponse(res: ServerResponse): void {
  responses.set(res.req.socket, res);
}

/** Ends a connection on which a request is answered that is still being read. A proxy would take a second answer for that of its next request. */
function endAnswered(socket: Duplex): boolean {
  const res = responses.get(socket);
  if (!res?.headersSent || (res.writableFinished && res.req.complete)) return false;
  if (res.writableEnded) (socket as Socket).destroySoon();
  else socket.destroy();
  return true;
}

export function refuseClientError(
  context: Pick<GateContext, "decider">,
  error: Error & { readonly code?: string },
  socket: Duplex,
): void {
  if (endAnswered(socket)) return;
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  refuse(context, socket, REFUSALS[error.code ?? ""] ?? NO_REQUEST, error.code !== TIMEOUT);
}
