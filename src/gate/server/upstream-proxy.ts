// Proxy mode: what the gate lets through goes to the application, streamed both ways; WebSockets too.
import { Agent as HttpAgent } from "node:http";
import { ServerResponse } from "node:http";
import type { ClientRequest, IncomingMessage, Server } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { performance } from "node:perf_hooks";
import type { Duplex } from "node:stream";
import type { Socket } from "node:net";
import { createProxyServer } from "httpxy";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { throttleByCause } from "../../platform/kernel/telemetry/throttle.ts";
import { DECISION_HEADER, decisionHeader, isLetThrough } from "../decision.ts";
import type { GateDecision } from "../decision.ts";
import type { GateRequest } from "../message.ts";
import { findMisframed } from "../requests/framing.ts";
import { isUnreadable, readLiteral } from "../requests/read-request.ts";
import { dropForeignNames } from "../requests/header-names.ts";
import { WHOLE_SERVER, takeOriginForm } from "../requests/request-target.ts";
import { headersToTell, tellOf } from "../requests/forward-decision-headers.ts";
import type { TrustedProxies } from "../requests/trusted-proxies.ts";
import { answerOf } from "./answer.ts";
import { createAttempts } from "./attempts.ts";
import type { GateContext, UpstreamProxy } from "./gate-context.ts";
import { guard, whenDecided } from "./guard.ts";
import type { Progress } from "./guard.ts";
import { rawHead } from "./raw-response.ts";
import { sendText } from "./send.ts";

/** The application has this long to begin its response. */
const UPSTREAM_TIMEOUT_MS = 120_000;
const MAX_SOCKETS = 1_024;
/** No status of HTTP: what proxies log for a client that did not wait. */
const CLIENT_LEFT = 499;
/** A client that stays longer after the answer to its upgrade, which was none, is cut off. */
const LINGER_MS = 5_000;

/** What no reason phrase may hold (RFC 9112, 4). */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

type ProxyContext = Pick<
  GateContext,
  "decider" | "challenges" | "rateLimitApi" | "responses" | "trust" | "metrics" | "bodyLimit" | "log"
>;

/** Of the client's connection, also where it does not say so. A client that expects `100-continue` has got it from the gate. */
const OF_THE_CONNECTION = [
  "connection",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "upgrade",
] as const;
/** They frame the request and name its target, whatever a client says of them. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set(["content-length", "host", "transfer-encoding"]);

/**
 * What is for this connection alone (RFC 9110, 7.6.1) ends here, before the gate adds what it tells the application: a client could have
 * the next proxy remove that by naming it.
 */
function passesThisConnection(named: readonly string[]): (name: string) => boolean {
  const ended = new Set([...named, ...OF_THE_CONNECTION]);
  return (name) => OF_THE_REQUEST.has(name) || !ended.has(name);
}

/** The application is told by the proxy that the gate is: the same as within the application, and how the client reached it. */
function describeTo(
  message: IncomingMessage,
  request: GateRequest,
  decision: GateDecision,
  trust: TrustedProxies,
  isUpgrade = false,
): void {
  const { headers } = message;
  const peer = message.socket.remoteAddress ?? "";
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const isKept = passesThisConnection(named);
  const { passes, said } = tellOf(headers, request, decision, trust, trust.isTrusted(peer));
  const told = headersToTell(headers, (name) => isKept(name) && passes(name), said);
  // What a client wants of its own connection, the library reads from here.
  const own = isUpgrade ? "Upgrade" : ["close", "keep-alive"].find((option) => named.includes(option));
  if (own !== undefined) told.connection = own;
  if (isUpgrade && headers.upgrade !== undefined) told.upgrade = headers.upgrade;
  // In one spelling, as some servers compare it.
  if (headers["transfer-encoding"] !== undefined) told["transfer-encoding"] = "chunked";
  const before = told["x-forwarded-for"];
  told["x-forwarded-for"] = before === undefined ? peer : `${String(before)}, ${peer}`;
  told["x-forwarded-proto"] = request.scheme;
  told["x-forwarded-host"] = request.host;
  message.headers = told;
}

/** What the application says before its response, except for what the gate has said (100). */
function passInformation(sent: ClientRequest, res: ServerResponse): void {
  sent.on("information", ({ statusCode, headers }) => {
    if (res.headersSent || res.destroyed) return;
    if (statusCode === 102) res.writeProcessing();
    if (statusCode !== 103 || headers.link === undefined) return;
    try {
      res.writeEarlyHints(headers as Record<string, string | string[]>);
    } catch {
      // Node.js does not write every link that it reads, and hints may be left out.
    }
  });
}

/** A client that is still sending would lose the response if its connection were closed with it. */
function closeBehindBody(message: IncomingMessage, res: ServerResponse): void {
  if (message.complete || message.httpVersion !== "1.1" || message.headers.connection !== "close") return;
  message.headers.connection = "keep-alive";
  const closeWhenBothEnd = () => {
    if (message.complete && res.writableFinished) message.socket.end();
  };
  message.once("end", closeWhenBothEnd);
  res.once("finish", closeWhenBothEnd);
}

export function createUpstreamProxy(upstream: string, context: ProxyContext): UpstreamProxy {
  const { decider, challenges, responses, trust, metrics, log } = context;
  const createAgent = (keepAlive: boolean) => {
    const options = { keepAlive, maxSockets: MAX_SOCKETS, maxFreeSockets: 256 };
    return upstream.startsWith("https:") ? new HttpsAgent(options) : new HttpAgent(options);
  };
  const [kept, fresh] = [createAgent(true), createAgent(false)];
  const { protocol, hostname, host, port, pathname } = new URL(upstream);
  // Read once: the library would read a URL again for each request.
  const target = { protocol, hostname, host, port, pathname };
  const proxy = createProxyServer({ target, proxyTimeout: UPSTREAM_TIMEOUT_MS });
  const attempts = createAttempts();
  const sockets = new Set<Duplex>();
  const sayFailed = throttleByCause<string>(MINUTE_MS, (reason, count, lastAt) =>
    log.warn({ reason, upstream, count, lastAt }, "the application does not answer (REEVE_GATE_UPSTREAM)"),
  );
  /** What counts the responses that have not begun. */
  const awaited = new Map<IncomingMessage, (status: number) => void>();

  function awaitResponse(message: IncomingMessage, res: ServerResponse, request: GateRequest): void {
    const project = decider.findProject(request);
    if (!project) return;
    const startedAt = performance.now();
    awaited.set(message, (status) => {
      awaited.delete(message);
      responses.count(project, status, performance.now() - startedAt);
    });
    // A client that left has waited for as long.
    res.once("close", () => awaited.get(message)?.(CLIENT_LEFT));
  }

  proxy.on("proxyReq", (sent, message, res) => {
    if (message.url === WHOLE_SERVER) sent.path = WHOLE_SERVER;
    attempts.begin(message, sent);
    if (message.httpVersion === "1.1") passInformation(sent, res);
  });
  proxy.on("proxyRes", (response, message, res) => {
    attempts.answered(message, response);
    closeBehindBody(message, res);
    const { headers, statusCode = 0, statusMessage = "" } = response;
    // Node.js reads status lines that it does not write.
    if (statusCode < 200 || statusCode > 999) response.statusCode = 502;
    if (UNSENDABLE.test(statusMessage)) response.statusMessage = "";
    awaited.get(message)?.(response.statusCode ?? 502);
    // Of the application's connection, not of the client's.
    delete headers["keep-alive"];
    delete headers.connection;
  });
  /** The application has answered an upgrade as any other request: nothing follows on this connection. */
  function endAfter(response: IncomingMessage, proxyRequest: ClientRequest, socket: Duplex): void {
    socket.on("end", () => socket.destroy());
    response.on("close", () => {
      proxyRequest.destroy();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    });
  }

  proxy.on("proxyReqWs", (proxyRequest, _message, socket) => {
    proxyRequest.on("response", (response) => endAfter(response, proxyRequest, socket));
    // The library ends the other side when one ends, and not when it is cut off.
    proxyRequest.on("upgrade", (_response, upstreamSocket) => {
      socket.on("close", () => upstreamSocket.destroy());
      upstreamSocket.on("close", () => socket.destroy());
    });
    socket.on("close", () => proxyRequest.destroy());
  });
  proxy.on("error", (error, message, res) => {
    if (!res || !message || attempts.hasResponse(message)) return;
    if (!res.destroyed && res instanceof ServerResponse && attempts.isRepeatable(message, error)) {
      pass(message, res, fresh);
      return;
    }
    if (!res.destroyed) awaited.get(message)?.(502);
    if (res.destroyed) return;
    metrics.upstreamFailed();
    sayFailed(error.message, error.message);
    if (!(res instanceof ServerResponse) || res.headersSent) {
      res.destroy();
      return;
    }
    // Of a response that broke off before its head was sent.
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    res.statusMessage = "";
    sendText(message, res, 502, "The application does not answer. Try again later.");
  });

  /** What fails on the way is the event above; the promise rejects when the response cannot be written. */
  function pass(message: IncomingMessage, res: ServerResponse, agent: HttpAgent | HttpsAgent): void {
    proxy.web(message, res, { agent }).catch(() => res.destroy());
  }

  function handle(message: IncomingMessage, res: ServerResponse): Progress {
    return guard(context, message, res, message.url ?? "", (request, decision) => {
      describeTo(message, request, decision, trust);
      awaitResponse(message, res, request);
      pass(message, res, kept);
    });
  }

  function decideUpgrade(message: IncomingMessage, socket: Duplex, head: Buffer): Progress {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    takeOriginForm(message);
    dropForeignNames(message);
    const request = findMisframed(message) ?? readLiteral(message, message.url ?? "", trust);
    if (isUnreadable(request)) {
      const headers = { [DECISION_HEADER]: decisionHeader(decider.refuseUnreadable(400)) };
      socket.end(rawHead({ status: 400, headers, body: null }));
      return undefined;
    }
    return whenDecided(decider.decide(request), (decision) => {
      if (socket.destroyed) return undefined;
      if (!isLetThrough(decision)) {
        const answer = answerOf(challenges, decider.findProject(request), request, decision);
        socket.write(rawHead(answer));
        socket.end(answer.body ?? undefined);
        return undefined;
      }
      describeTo(message, request, decision, trust, true);
      void proxy.ws(message, socket as Socket, { agent: fresh }, head);
      return undefined;
    });
  }

  function handleUpgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void {
    const fail = (error: unknown): void => {
      log.error({ err: error }, "an upgrade failed");
      socket.destroy();
    };
    try {
      decideUpgrade(message, socket, head)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  return {
    handle,
    attach(server: Server) {
      server.on("upgrade", handleUpgrade);
    },
    endUpgraded() {
      for (const socket of sockets) socket.destroy();
    },
    close() {
      kept.destroy();
      fresh.destroy();
    },
  };
}
