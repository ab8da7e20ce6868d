// The head of a request before anything is looked up for it: what could be read in two ways is refused, and a body that
// waits for `100 Continue` is asked for only when its sender was let in.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { fieldError } from "../../kernel/errors.ts";
import type { ApiError } from "../../kernel/errors.ts";

/** What Node takes for it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;
/** Without a comma and the like, which RFC 3986 allows in names that nobody has. */
const HOST = /^(?:[\w.~%-]+|\[[\w.:~%-]+\])(?::\d{0,5})?$/;
/** Of several, a proxy may have read another one than this server. */
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

/** What could be read in two ways. */
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

/** Ends the connection with this answer when nobody can tell where the request's body ends. RFC 9112, section 6.3 */
export function endUnframed(request: IncomingMessage, answer: ServerResponse): void {
  if (!isUnframed(request)) return;
  ending.add(request.socket);
  answer.setHeader("connection", "close");
}

/** The answer that ends this connection is on its way: what the parser says of the body after it needs no other one. */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket);
}

/** What a proxy in front may have read in another way, and what this server cannot decode; undefined: nothing. */
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

/** The target as a path: clients of proxies send it with scheme and host, and bad ones with a fragment. RFC 9112, section 3.2 */
export function originForm(sent: string): string {
  const fragment = sent.indexOf("#");
  const target = fragment < 0 ? sent : sent.slice(0, fragment);
  if (target.startsWith("/")) return target;
  const path = target.replace(/^https?:\/\/[^/?]*/i, "");
  return path.startsWith("?") || path === "" ? `/${path}` : path;
}

/** Answers that end their connection unless the body is asked for: nobody knows whether it will be sent. */
const waiting = new WeakMap<ServerResponse, boolean>();

/** Asks for a body whose sender waits for that. RFC 9110, section 10.1.1 */
export function askForBody(answer: ServerResponse): void {
  const isOwnClose = waiting.get(answer);
  if (isOwnClose === undefined) return;
  waiting.delete(answer);
  if (isOwnClose) answer.removeHeader("connection");
  answer.writeContinue();
}

/** Hands on requests whose senders wait, which ask for their bodies themselves, and, to be refused, requests with other expectations. */
export function answerExpectations(
  server: Server,
  handle: (request: IncomingMessage, answer: ServerResponse) => void,
): void {
  server.on("checkContinue", (request: IncomingMessage, answer: ServerResponse) => {
    const isOwnClose = !answer.hasHeader("connection");
    waiting.set(answer, isOwnClose);
    if (isOwnClose) answer.setHeader("connection", "close");
    handle(request, answer);
  });
  server.on("checkExpectation", (request: IncomingMessage, answer: ServerResponse) => {
    answer.setHeader("connection", "close");
    handle(request, answer);
  });
}
