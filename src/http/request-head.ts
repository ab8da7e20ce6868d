// The head of a request before anything is looked up for it: what could be read in two ways is refused, and a body that
// waits for `100 Continue` is asked for only when its sender was let in.
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { fieldError } from "../kernel/errors.ts";
import type { ApiError } from "../kernel/errors.ts";

const HOST = "host";
/** What Node takes for it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts++;
  }
  return hosts;
}

function isUnframed({ "transfer-encoding": transfer }: IncomingHttpHeaders): boolean {
  return transfer !== undefined && transfer.trim().toLowerCase() !== "chunked";
}

const ending = new WeakSet<Socket>();

/** Ends the connection with this answer when nobody can tell where the request's body ends. RFC 9112, section 6.3 */
export function endUnframed({ headers, socket }: IncomingMessage, answer: ServerResponse): void {
  if (!isUnframed(headers)) return;
  ending.add(socket);
  answer.setHeader("connection", "close");
}

/** The answer that ends this connection is on its way: what the parser says of the body after it needs no other one. */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket);
}

/** What a proxy in front may have read in another way, and what this server cannot decode; undefined: nothing. */
export function findHeadProblem({ rawHeaders, headers, httpVersion }: IncomingMessage): ApiError | undefined {
  // RFC 9112, section 3.2
  const hosts = countHosts(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return fieldError("bad_request", "Host", "expected once");
  if (isUnframed(headers)) return fieldError("bad_request", "Transfer-Encoding", "expected chunked alone");
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
