// The gate's HTTP server: it answers proxies that ask, serves the challenge, and with an upstream is the proxy itself.
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { CHECK_PATH } from "../requests/read-request.ts";
import { REFUSED_PATH, handleCheck, handleRefused } from "./check.ts";
import type { GateContext } from "./gate-context.ts";
import { handleChallenge, handleRateLimit, isAt, isChallengeUrl, isRateLimitUrl } from "./guard.ts";
import { send, sendText } from "./send.ts";

const OWN_PATH = "/.well-known/reeve/";
const HEALTH_PATH = `${OWN_PATH}health`;
const METRICS_PATH = `${OWN_PATH}metrics`;
/** As of Node.js' own server, but for the time that a client may take to send a request. */
const SERVER_OPTIONS = { requestTimeout: 30_000, headersTimeout: 20_000, keepAliveTimeout: 65_000 } as const;

async function handleOperator(context: GateContext, message: IncomingMessage, res: ServerResponse): Promise<void> {
  const { operator, trust } = context;
  if (!trust.isTrusted(message.socket.remoteAddress ?? "")) return sendText(message, res, 404, "Not found.");
  if (isAt(message.url ?? "", HEALTH_PATH)) {
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
  if (isAt(url, HEALTH_PATH) || isAt(url, METRICS_PATH)) return await handleOperator(context, message, res);
  if (isAt(url, REFUSED_PATH)) return handleRefused(context, message, res);
  sendText(message, res, 404, "Not found.");
}

export function createGateServer(context: GateContext): Server {
  const { log, proxy } = context;

  function fail(error: unknown, message: IncomingMessage, res: ServerResponse): void {
    // A client that has left is no failure.
    if (message.destroyed && res.socket?.destroyed !== false) return;
    log.error({ err: error }, "a request failed");
    if (res.headersSent) res.destroy();
    else sendText(message, res, 500, "The gate could not answer this request.");
  }

  function route(message: IncomingMessage, res: ServerResponse): void {
    const url = message.url ?? "";
    if (isAt(url, CHECK_PATH)) handleCheck(context, message, res);
    else if (url.startsWith(OWN_PATH)) {
      handleOwn(context, message, res).catch((error: unknown) => fail(error, message, res));
    } else if (isRateLimitUrl(url)) {
      handleRateLimit(context, message, res, url).catch((error: unknown) => fail(error, message, res));
    } else if (proxy) proxy.handle(message, res);
    else {
      sendText(
        message,
        res,
        404,
        `This is a gate. Proxies ask it at ${CHECK_PATH}; with REEVE_GATE_UPSTREAM it is a proxy itself.`,
      );
    }
  }

  const server = createServer(SERVER_OPTIONS, (message, res) => {
    try {
      route(message, res);
    } catch (error) {
      fail(error, message, res);
    }
  });
  proxy?.attach(server);
  return server;
}
