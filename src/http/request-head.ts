// The head of a request before anything is looked up for it: what could be read in two ways is refused, and a body that
// waits for `100 Continue` is asked for only when its sender was let in.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { fieldError } from "../kernel/errors.ts";
import type { ApiError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { renderError } from "./error-response.ts";

const HOST = "host";

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts++;
  }
  return hosts;
}

/** What a proxy in front may have read in another way, and what this server cannot decode; undefined: nothing. */
export function findHeadProblem({ rawHeaders, headers }: IncomingMessage): ApiError | undefined {
  // RFC 9112, section 3.2
  if (countHosts(rawHeaders) > 1) return fieldError("bad_request", "Host", "expected once");
  const { "transfer-encoding": transfer, "content-encoding": content, "content-length": length = "0" } = headers;
  if (transfer !== undefined && transfer.trim().toLowerCase() !== "chunked") {
    return fieldError("bad_request", "Transfer-Encoding", "expected chunked alone");
  }
  if (content === undefined || content.toLowerCase() === "identity") return undefined;
  if (transfer === undefined && Number(length) === 0) return undefined;
  const problem = `expected none, since bodies are not decoded here, got ${content.slice(0, 100)}`;
  return fieldError("unsupported_media_type", "Content-Encoding", problem, { expected: "identity" });
}

/** The target as a path, which clients of proxies send with scheme and host. RFC 9112, section 3.2.2 */
export function originForm(target: string): string {
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

/** Hands on requests whose senders wait, which ask for their bodies themselves, and refuses other expectations. */
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
  server.on("checkExpectation", ({ headers: { accept } }: IncomingMessage, answer: ServerResponse) => {
    const requestId = newId("request");
    const refusal = fieldError("expectation_failed", "Expect", "expected 100-continue or none");
    const { status, contentType, body } = renderError(refusal, { requestId, accept, docsUrl: "" });
    answer.writeHead(status, {
      "content-type": contentType,
      "content-length": Buffer.byteLength(body),
      "cache-control": "no-store",
      "x-request-id": requestId,
      connection: "close",
    });
    answer.end(body);
  });
}
