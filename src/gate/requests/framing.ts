// Where the body of a request ends. A server that reads this differently takes a part of the body for a request of its own, about which nobody
// has decided (RFC 9112, 6.1 and 6.3).
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Unreadable } from "./read-request.ts";

export interface Misframed extends Unreadable {
  readonly status: 400 | 501;
}

/** A web-standard Request does not say its connection, nor the version of HTTP. */
type Framing = Pick<IncomingMessage, "headers"> & Partial<Pick<IncomingMessage, "httpVersion" | "socket">>;

function findIn(coding: string, { headers, httpVersion = "1.1" }: Framing): Misframed | undefined {
  if (httpVersion !== "1.1") return { status: 400, unreadable: "no Transfer-Encoding but in HTTP/1.1" };
  if (headers["content-length"] !== undefined) {
    return { status: 400, unreadable: "Content-Length or Transfer-Encoding, and not both" };
  }
  return coding.toLowerCase() === "chunked" ? undefined : { status: 501, unreadable: "chunked in Transfer-Encoding" };
}

/** Connections that end. Node.js reads requests from what has come already, and it may be the rest of a body. */
const ending = new WeakSet<Socket>();
const BEHIND: Misframed = { status: 400, unreadable: "no request behind one of which the end is not clear" };

/** Node.js hands such requests on; one without an end, too, before it refuses that. Undefined: everybody reads the same. */
export function findMisframed(request: Framing): Misframed | undefined {
  const { headers, socket } = request;
  if (socket && ending.has(socket)) return BEHIND;
  const coding = headers["transfer-encoding"];
  const found = coding === undefined ? undefined : findIn(coding, request);
  if (found && socket) ending.add(socket);
  return found;
}
