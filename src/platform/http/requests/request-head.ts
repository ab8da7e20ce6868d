// Checks the head of a request before anything else. Ambiguous heads are refused, because a proxy may have read them differently
// (request smuggling). `100 Continue` is sent only after the request guards accepted the request.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { fieldError } from "../../kernel/errors.ts";
import type { ApiError } from "../../kernel/errors.ts";

/** The expression by which Node recognizes it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;
/** Without the further characters, such as commas, that RFC 3986 allows in names but no host uses. */
const HOST = /^(?:[\w.~%-]+|\[[\w.:~%-]+\])(?::\d{0,5})?$/;
/** Headers that may occur once: with several, a proxy may have read another one than this server. */
const SINGLE = ["Host", "Authorization", "X-API-Key", "Content-Type"];

function count(rawHeaders: readonly string[], header: string): number {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === header.length && name.toLowerCase() === header.toLowerCase()) found++;
  }
  return found;
}

function isUnframed({ headers: { "transfer-encoding": transfer }, httpVersion }: IncomingMessage): boolean {
  return transfer !== undefined && (httpVersion === "1.0" || transfer.trim().toLowerCase() !== "chunked");
}

type Ambiguity = readonly [header: string, expected: string, isIn: (request: IncomingMessage) => boolean];

/** Heads that two programs could read differently. */
const AMBIGUITIES: readonly Ambiguity[] = [
  ...SINGLE.map((name): Ambiguity => [name, "expected once", ({ rawHeaders }) => count(rawHeaders, name) > 1]),
  // RFC 9112, section 3.2
  ["Host", "expected once", ({ headers, httpVersion }) => headers.host === undefined && httpVersion === "1.1"],
  [
    "Host",
    "expected a name or an address, and at most a port",
    ({ headers: { host } }) => host !== undefined && !HOST.test(host),
  ],
  [
    "X-API-Key",
    "expected none beside Authorization, or the same credential",
    ({ headers: { authorization, "x-api-key": key } }) =>
      authorization !== undefined && key !== undefined && authorization.split(/ +/)[1] !== key,
  ],
  // RFC 9112, section 6.1
  ["Transfer-Encoding", "expected chunked alone, in HTTP/1.1", isUnframed],
];

const ending = new WeakSet<Socket>();

/** Closes the connection after the response when the end of the request's body cannot be determined. RFC 9112, section 6.3 */
export function endUnframed(request: IncomingMessage, response: ServerResponse): void {
  if (!isUnframed(request)) return;
  ending.add(request.socket);
  response.setHeader("connection", "close");
}

/** Whether a response that ends this connection is being sent. Errors that the parser then finds in the body need no other response. */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket);
}

/** The refusal of a head that a proxy may have read differently, or that this server does not support; undefined: there is none. */
export function findHeadProblem(request: IncomingMessage): ApiError | undefined {
  for (const [header, expected, isIn] of AMBIGUITIES) {
    if (isIn(request)) return fieldError("bad_request", header, expected);
  }
  const { headers, httpVersion } = request;
  const {
    expect,
    "transfer-encoding": transfer,
    "content-encoding": content,
    "content-length": length = "0",
  } = headers;
  if (expect !== undefined && httpVersion === "1.1" && !CONTINUE.test(expect)) {
    return fieldError("expectation_failed", "Expect", "expected 100-continue or none");
  }
  if (!content || content.toLowerCase() === "identity") return undefined;
  if (transfer === undefined && Number(length) === 0) return undefined;
  const problem = `expected none, since bodies are not decoded here, got ${content.slice(0, 100)}`;
  return fieldError("unsupported_media_type", "Content-Encoding", problem, { expected: "identity" });
}

/** The request target as a path. Clients of proxies send it with scheme and host, and faulty clients with a fragment. RFC 9112, section 3.2 */
export function originForm(sent: string): string {
  const fragment = sent.indexOf("#");
  const target = fragment < 0 ? sent : sent.slice(0, fragment);
  if (target.startsWith("/")) return target;
  const path = target.replace(/^https?:\/\/[^/?]*/i, "");
  return path.startsWith("?") || path === "" ? `/${path}` : path;
}

/** Responses to clients that wait for `100 Continue`. Without it they close their connection, because the client may or may not send the body. The value: the `close` is ours. */
const waiting = new WeakMap<ServerResponse, boolean>();

/** Whether the client has not been asked for the body that it announces. */
export function isAwaitingContinue(response: ServerResponse): boolean {
  return waiting.has(response);
}

/** Sends `100 Continue` to a client that waits for it. RFC 9110, section 10.1.1 */
export function askForBody(response: ServerResponse): void {
  const isOwnClose = waiting.get(response);
  if (isOwnClose === undefined) return;
  waiting.delete(response);
  if (isOwnClose) response.removeHeader("connection");
  response.writeContinue();
}

/** Passes on requests that wait for `100 Continue`, which askForBody sends later, and requests with other expectations, which are refused. */
export function handleExpectations(
  server: Server,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    const isOwnClose = !response.hasHeader("connection");
    waiting.set(response, isOwnClose);
    if (isOwnClose) response.setHeader("connection", "close");
    handle(request, response);
  });
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader("connection", "close");
    handle(request, response);
  });
}
