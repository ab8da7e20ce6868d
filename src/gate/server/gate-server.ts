// The gate's HTTP server: it answers proxies that ask, serves the challenge, and with an upstream is the proxy itself.
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { CHECK_PATH } from "../requests/read-request.ts";
import { REFUSED_PATH, handleCheck, handleRefused, sayUnreadable } from "./check.ts";
import { MAX_HEAD_BYTES, recordResponse, refuseClientError, refuseConnect } from "./client-error.ts";
import type { GateContext } from "./gate-context.ts";
import { handleChallenge, handleRateLimit, isAt, isChallengeUrl, isRateLimitUrl, refuseUnreadable } from "./guard.ts";
import type { Progress } from "./guard.ts";
import { findMisframed } from "../requests/framing.ts";
import { hasBody } from "../requests/peek-body.ts";
import { takeOriginForm } from "../requests/request-target.ts";
import { send, sendText } from "./send.ts";

const OWN_PATH = "/.well-known/reeve/";
const HEALTH_PATH = `${OWN_PATH}health`;
const METRICS_PATH = `${OWN_PATH}metrics`;
const SERVER_OPTIONS = {
  requestTimeout: 30_000,
  headersTimeout: 20_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: MAX_HEAD_BYTES,
  // Without one the request cannot be judged, which is counted and said.
  requireHostHeader: false,
} as const;

/** A trusted proxy may pass on whatever its visitors ask for, so that the client has to be trusted too. */
function isOperator({ trust }: GateContext, { socket, headers }: IncomingMessage): boolean {
  const peer = socket.remoteAddress ?? "";
  const forwardedFor = headers["x-forwarded-for"];
  const { ip } = trust.clientOf(peer, typeof forwardedFor === "string" ? forwardedFor : undefined);
  return trust.isTrusted(peer) && ip !== undefined && trust.isTrusted(ip);
}

async function handleOperator(context: GateContext, message: IncomingMessage, res: ServerResponse): Promise<void> {
  const { operator } = context;
  if (!isOperator(context, message)) return sendText(message, res, 404, "Not found.");
  if (message.url === HEALTH_PATH) {
    const { status, body } = operator.health();
    const headers = { "content-type": "application/json", "cache-control": "no-store" };
    return send(message, res, { status, headers, body: `${JSON.stringify(body)}\n` });
  }
  const { contentType, text } = await operator.metrics();
  send(message, res, { status: 200, headers: { "content-type": contentType }, body: text });
}

async function handleOwn(context: GateContext, message: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = message.url ?? "";
  if (isChallengeUrl(url)) return await handleChallenge(context, message, res, url);
  if (url === HEALTH_PATH || url === METRICS_PATH) return await handleOperator(context, message, res);
  // What stands in front of a gate that is the proxy itself asks nothing: a visitor would.
  if (isAt(url, REFUSED_PATH) && !context.proxy) return handleRefused(context, message, res);
  sendText(message, res, 404, "Not found.");
}

/** Only these are taken out of HTTP: every other request is one of HTTP, whatever else it would like to speak. */
function isWebSocket(message: IncomingMessage): boolean {
  takeOriginForm(message);
  const { method, headers, url = "" } = message;
  return (
    method === "GET" &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    !hasBody({ headers }) &&
    !url.startsWith(OWN_PATH) &&
    !isRateLimitUrl(url)
  );
}

/** Ends a connection with the response to this request. */
function closeAfter({ headers }: IncomingMessage, res: ServerResponse): void {
  res.shouldKeepAlive = false;
  // The proxy does as the client says of its connection.
  headers.connection = headers.connection === undefined ? "close" : `${headers.connection}, close`;
}

export function createGateServer(context: GateContext): Server {
  const { log, proxy, isClosing } = context;
  const say = sayUnreadable(log);

  function fail(error: unknown, message: IncomingMessage, res: ServerResponse): void {
    // A client that has left is no failure.
    if (message.destroyed && res.socket?.destroyed !== false) return;
    log.error({ err: error }, "a request failed");
    if (res.headersSent) res.destroy();
    else sendText(message, res, 500, "The gate could not answer this request.");
  }

  function route(message: IncomingMessage, res: ServerResponse): Progress {
    recordResponse(res);
    if (isClosing()) closeAfter(message, res);
    const misframed = findMisframed(message);
    if (misframed) {
      refuseUnreadable(context, message, res, misframed.status, misframed);
      return undefined;
    }
    takeOriginForm(message);
    const url = message.url ?? "";
    if (isAt(url, CHECK_PATH) && !proxy) return handleCheck(context, message, res, say);
    if (url.startsWith(OWN_PATH)) return handleOwn(context, message, res);
    if (isRateLimitUrl(url)) return handleRateLimit(context, message, res, url);
    if (proxy) return proxy.handle(message, res);
    const text = `This is a gate. Proxies ask it at ${CHECK_PATH}; with REEVE_GATE_UPSTREAM it is a proxy itself.`;
    sendText(message, res, 404, text);
    return undefined;
  }

  const options = {
    ...SERVER_OPTIONS,
    // Questions have no body. What a proxy passes on has to emit the end of one.
    ...(proxy ? { shouldUpgradeCallback: isWebSocket } : { optimizeEmptyRequests: true }),
  };
  const server = createServer(options, (message, res) => {
    try {
      route(message, res)?.catch((error: unknown) => fail(error, message, res));
    } catch (error) {
      fail(error, message, res);
    }
  });
  server.on("clientError", (error, socket) => refuseClientError(context, error, socket));
  server.on("connect", (_message, socket) => refuseConnect(context, socket));
  server.on("checkExpectation", (message, res) => {
    recordResponse(res);
    const refused = findMisframed(message) ?? { status: 417, unreadable: "no header Expect but 100-continue" };
    refuseUnreadable(context, message, res, refused.status, refused);
  });
  proxy?.attach(server);
  return server;
}
