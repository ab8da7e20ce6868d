// Forward authentication: a proxy asks about each request, and lets it through or passes the answer on.
import type { IncomingMessage, ServerResponse } from "node:http";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { throttle } from "../../platform/kernel/telemetry/throttle.ts";
import { DECISION_HEADER, decisionHeader, isLetThrough, parseDecisionHeader } from "../decision.ts";
import type { GateDecision } from "../decision.ts";
import type { GateLog } from "../gate-log.ts";
import type { GateResponse } from "../message.ts";
import { REFUSAL_TEXTS } from "../refusal-texts.ts";
import { NGINX_CHECK, isUnreadable, readCheck } from "../requests/read-request.ts";
import { answerOf } from "./answer.ts";
import type { GateContext } from "./gate-context.ts";
import { refuseUnreadable, whenDecided } from "./guard.ts";
import type { Progress } from "./guard.ts";
import { send, sendText } from "./send.ts";

/** What is asked about is a sub-request: the client gets 401 as the status of a challenge from proxies that pass it on. */
const CHALLENGED = 401;
const MAX_LOGGED_URL = 200;

function isForNginx({ url }: IncomingMessage): boolean {
  return url === NGINX_CHECK;
}

/**
 * nginx knows 401 and 403 alone, and drops the body: the headers tell the rest, and nginx asks for the page at REFUSED_PATH.
 * https://nginx.org/en/docs/http/ngx_http_auth_request_module.html
 */
function forNginx({ action }: GateDecision, { status, headers }: GateResponse): GateResponse {
  const { location, "retry-after": retryAfter, [DECISION_HEADER]: decision } = headers;
  return {
    status: action === "challenge" ? CHALLENGED : 403,
    headers: {
      ...(decision !== undefined && { [DECISION_HEADER]: decision }),
      "x-reeve-status": String(status),
      ...(location !== undefined && { "x-reeve-location": location }),
      ...(retryAfter !== undefined && { "retry-after": retryAfter }),
    },
    body: null,
  };
}

/** A page is sent with the status of a challenge; programs get the refusal as it is. */
function forOthers({ action }: GateDecision, response: GateResponse): GateResponse {
  const isPage = String(response.headers["content-type"]).startsWith("text/html");
  return action === "challenge" && isPage ? { ...response, status: CHALLENGED } : response;
}

/** Refuses a peer that is no trusted proxy: it could claim any address, and see what the rules do. Returns whether it did. */
function refuseStranger(
  { trust, activity, metrics, log }: GateContext,
  message: IncomingMessage,
  res: ServerResponse,
): boolean {
  const peer = message.socket.remoteAddress ?? "";
  if (trust.isTrusted(peer)) return false;
  metrics.refusedPeer();
  if (activity.refusedPeer(peer)) {
    log.warn({ peer, setting: "REEVE_GATE_TRUSTED_PROXIES" }, "a peer that is no trusted proxy asked for a decision");
  }
  sendText(message, res, 403, "This address may not ask: it is not in REEVE_GATE_TRUSTED_PROXIES.");
  return true;
}

interface UnreadableCheck {
  readonly expected: string;
  /** Envoy adds what its client has sent. */
  readonly url: string | undefined;
}

/** Clients can have a proxy ask about what nobody can read, as often as they like. */
export function sayUnreadable(log: GateLog): (check: UnreadableCheck) => void {
  return throttle(MINUTE_MS, ({ expected, url }, count) =>
    log.warn(
      { expected, url: url?.slice(0, MAX_LOGGED_URL), count },
      "a proxy did not say what the original request is",
    ),
  );
}

export function handleCheck(
  context: GateContext,
  message: IncomingMessage,
  res: ServerResponse,
  say: (check: UnreadableCheck) => void,
): Progress {
  if (refuseStranger(context, message, res)) return undefined;
  const { decider, challenges, trust } = context;
  const request = readCheck(message, trust);
  if (isUnreadable(request)) {
    say({ expected: request.unreadable, url: message.url });
    refuseUnreadable(context, message, res, 403, request);
    return undefined;
  }
  return whenDecided(decider.decide(request), (decision) => {
    if (isLetThrough(decision)) {
      res.writeHead(204, { [DECISION_HEADER]: decisionHeader(decision) });
      res.end();
      return undefined;
    }
    const answer = answerOf(challenges, decider.findProject(request), request, decision);
    send(message, res, (isForNginx(message) ? forNginx : forOthers)(decision, answer));
    return undefined;
  });
}

export const REFUSED_PATH = "/.well-known/reeve/refused";

function headerText(message: IncomingMessage, name: string): string | null {
  const value = message.headers[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Makes the response of a decision again for nginx, which passes on what it was told about it. */
export function handleRefused(context: GateContext, message: IncomingMessage, res: ServerResponse): void {
  if (refuseStranger(context, message, res)) return;
  const { decider, challenges, trust } = context;
  const request = readCheck(message, trust);
  const told = parseDecisionHeader(headerText(message, DECISION_HEADER) ?? "");
  if (isUnreadable(request) || !told) {
    if (told) res.setHeader(DECISION_HEADER, decisionHeader(told));
    sendText(message, res, 403, `${REFUSAL_TEXTS.en.deniedTitle}.${told ? ` ${told.id}` : ""}`);
    return;
  }
  const retryAfter = Number(headerText(message, "x-reeve-retry-after"));
  const decision: GateDecision = {
    ...told,
    status: Number(headerText(message, "x-reeve-status") ?? 403),
    location: headerText(message, "x-reeve-location"),
    retryAfter: retryAfter > 0 ? retryAfter : null,
  };
  send(message, res, answerOf(challenges, decider.findProject(request), request, decision));
}
