// A refusal often comes before its request's body has arrived. On a connection that ends with the response, most clients and proxies
// lose it: they still send, find the connection reset, and report that. So it waits for the end of the body, which is discarded.
import type { FastifyReply } from "fastify";
import { isAwaitingContinue, isEnding } from "../requests/request-head.ts";
import { MAX_BODY_BYTES } from "./error-response.ts";

/** Longer bodies are cut off: they are hardly sent by mistake. */
const MAX_DISCARDED_BYTES = 8 * MAX_BODY_BYTES;

/** Whether a response that is sent now could be lost. On a connection that is kept, Node reads the rest of the body itself. */
function couldBeLost(reply: FastifyReply): boolean {
  const { raw: response } = reply;
  const { raw: request } = reply.request;
  const isKept = response.shouldKeepAlive && reply.getHeader("connection") !== "close";
  if (isKept || request.complete || request.readableEnded || request.destroyed) return false;
  // Of these no body comes, or none whose end can be found.
  if (isAwaitingContinue(response) || isEnding(request.socket)) return false;
  const { "transfer-encoding": transfer, "content-length": length = 0 } = request.headers;
  return transfer !== undefined || (Number(length) > 0 && Number(length) <= MAX_DISCARDED_BYTES);
}

/** Calls `send` once, when the response reaches its client, or the body is too long to wait for, or the client has gone. */
export function afterBody(reply: FastifyReply, send: () => void): void {
  if (!couldBeLost(reply)) return send();
  const { raw: request } = reply.request;
  let discarded = 0;
  const stop = () => {
    request.off("data", count).off("end", stop).off("close", stop);
    send();
  };
  const count = (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MAX_DISCARDED_BYTES) stop();
  };
  request.on("data", count).on("end", stop).on("close", stop).resume();
}
