// The node:http server under the framework: time-outs, limits of connections, and responses to bytes that are not a valid request.
import { STATUS_CODES, createServer } from "./node-http.ts";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import { ApiError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { containsAddress, parseAddress, parseNetwork } from "../kernel/network/network.ts";
import type { Admission } from "./limits/admission.ts";
import { limitConnections } from "./limits/connection-limits.ts";
import type { ConnectionsOfServer } from "./limits/connection-limits.ts";
import { endUnframed, handleExpectations, isEnding, originForm } from "./requests/request-head.ts";
import { errorDocs, renderError } from "./responses/error-response.ts";

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node checks for requests that exceed a time-out; its default is 30 s. */
const TIMEOUT_CHECK_MS = 1_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const SILENCE_TIMEOUT_MS = 60_000;
const NODE_SERVER_OPTIONS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  // findHeadProblem refuses a missing Host header: Node's own response has no error body and no Cache-Control.
  requireHostHeader: false,
};

function refusalOf(code: string | undefined): ApiError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new ApiError("request_timeout", "The request did not arrive in time; send it again, faster");
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ApiError("headers_too_large", "Headers: expected at most 16 KiB and 1000 lines in all");
  }
  return new ApiError("bad_request", "Expected an HTTP/1.1 request");
}

/** A complete response as bytes, for a connection without a valid request. It ends the connection. */
function renderRaw(refusal: ApiError, requestId: string, publicUrl: string): string {
  const about = { requestId, accept: undefined, docsUrl: errorDocs(publicUrl) };
  const { status, contentType, body } = renderError(refusal, about);
  const retry = status === 503 ? "Retry-After: 1\r\n" : "";
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${contentType}\r\nCache-Control: no-store\r\n${retry}` +
    `X-Request-Id: ${requestId}\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}

function refuseConnection(publicUrl: string): string {
  const message = "This server has as many connections as it accepts (REEVE_MAX_CONNECTIONS); try again";
  return renderRaw(new ApiError("overloaded", message), newId("request"), publicUrl);
}

export interface ClientErrorOptions {
  /** Base of absolute URLs, without a slash at the end; empty for relative ones. */
  readonly publicUrl: string;
  readonly logger: Pick<FastifyBaseLogger, "info">;
}

/** Responds to invalid HTTP, oversized headers and requests that arrive too slowly, in the usual form of errors. */
export function respondToClientError(
  error: Error & { readonly code?: string },
  socket: Socket,
  { publicUrl, logger }: ClientErrorOptions,
): void {
  if (isEnding(socket) && error.code === "HPE_INVALID_TRANSFER_ENCODING") return;
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error.code);
  const requestId = newId("request");
  const { code, status } = refusal;
  logger.info({ requestId, code, status }, "refused what is no request");
  socket.end(renderRaw(refusal, requestId, publicUrl), () => socket.destroy());
}

interface NodeServerOptions {
  readonly admission: Admission;
  readonly maxConnections: number;
  /** CIDRs of trusted proxies; null: there are none. */
  readonly trustedProxies: readonly string[] | null;
  readonly publicUrl: string;
}

/** Whether an address is that of a trusted proxy. */
function createProxyCheck(trustedProxies: readonly string[] | null): (address: string) => boolean {
  const networks = (trustedProxies ?? []).flatMap((text) => parseNetwork(text) ?? []);
  if (networks.length === 0) return () => false;
  return (text) => {
    const address = parseAddress(text);
    return address !== null && networks.some((network) => containsAddress(network, address));
  };
}

/** A server whose valid requests go to `handle`; it does not listen yet. */
export function createNodeServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { admission, maxConnections, trustedProxies, publicUrl }: NodeServerOptions,
): { readonly server: Server; readonly connections: ConnectionsOfServer } {
  function receive(request: IncomingMessage, response: ServerResponse): void {
    request.url = originForm(request.url as string);
    endUnframed(request, response);
    if (connections.enter(request, response)) handle(request, response);
  }
  const server = createServer(NODE_SERVER_OPTIONS, receive).setTimeout(SILENCE_TIMEOUT_MS);
  handleExpectations(server, receive);
  const connections = limitConnections(server, {
    ...admission,
    max: maxConnections,
    isProxy: createProxyCheck(trustedProxies),
    refusal: () => refuseConnection(publicUrl),
  });
  return { server, connections };
}
