// Decides about a request that reached the gate itself, and answers it or lets it through: for the gate's proxy, and within an application.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { GateCore } from "../core.ts";
import { MAX_FORM_BYTES } from "../challenge/form.ts";
import { BASE_PATH } from "../challenge/routes.ts";
import { RATE_LIMIT_PATH } from "../rate-limit-api/rate-limit-api.ts";
import { DECISION_HEADER, decisionHeader, isLetThrough } from "../decision.ts";
import type { GateDecision } from "../decision.ts";
import type { GateRequest } from "../message.ts";
import { dropForeignNames } from "../requests/header-names.ts";
import { hasBody, peekBody, releaseBody } from "../requests/peek-body.ts";
import { isUnreadable, readLiteral } from "../requests/read-request.ts";
import type { Unreadable } from "../requests/read-request.ts";
import { answerOf, challengeScope } from "./answer.ts";
import { readBody, send, sendText } from "./send.ts";

/** Of a refused request; a connection that brings more is closed rather than read to its end. */
const MAX_DISCARDED_BYTES = 65_536;

export type GuardContext = Pick<GateCore, "decider" | "challenges" | "rateLimitApi" | "trust" | "bodyLimit">;

export function isAt(url: string, path: string): boolean {
  if (!url.startsWith(path)) return false;
  const next = url[path.length];
  return next === undefined || next === "/" || next === "?";
}

export function isChallengeUrl(url: string): boolean {
  return isAt(url, BASE_PATH);
}

function discardsMuch({ headers, httpVersionMajor }: IncomingMessage): boolean {
  const length = headers["content-length"];
  const isLong = headers["transfer-encoding"] !== undefined || Number(length ?? 0) > MAX_DISCARDED_BYTES;
  // A stream of HTTP/2 ends by itself.
  return isLong && httpVersionMajor < 2;
}

/** Refuses a request that cannot be judged, and counts it. */
export function refuseUnreadable(
  { decider }: Pick<GuardContext, "decider">,
  message: IncomingMessage,
  res: ServerResponse,
  status: number,
  { unreadable }: Unreadable,
): void {
  res.setHeader(DECISION_HEADER, decisionHeader(decider.refuseUnreadable(status)));
  if (discardsMuch(message)) res.setHeader("connection", "close");
  sendText(message, res, status, `Expected ${unreadable}.`);
}

/** Serves the challenge: what browsers load and post there. */
export async function handleChallenge(
  { decider, challenges, trust }: GuardContext,
  message: IncomingMessage,
  res: ServerResponse,
  url: string,
): Promise<void> {
  const request = readLiteral(message, url, trust);
  const project = isUnreadable(request) ? undefined : decider.findProject(request);
  const scope = project && challengeScope(project);
  if (isUnreadable(request) || !scope) return sendText(message, res, 404, "Nothing is protected here.");
  const body = await readBody(message, MAX_FORM_BYTES);
  if (body === null) {
    // The rest of the body stays unread.
    res.setHeader("connection", "close");
    return sendText(message, res, 413, "Expected a smaller request.");
  }
  send(message, res, await challenges.handle(request, body, scope));
}

export function isRateLimitUrl(url: string): boolean {
  return isAt(url, RATE_LIMIT_PATH);
}

/** Answers an application that asks for a rate limit by its id. */
export async function handleRateLimit(
  { rateLimitApi, trust }: GuardContext,
  message: IncomingMessage,
  res: ServerResponse,
  url: string,
): Promise<void> {
  const request = readLiteral(message, url, trust);
  if (isUnreadable(request)) return sendText(message, res, 400, `Expected ${request.unreadable}.`);
  send(message, res, await rateLimitApi.answer(request));
}

/** The body of a form that is small enough to survive a challenge; undefined: it is another request. */
async function readSmallForm(message: IncomingMessage): Promise<string | undefined> {
  const { method, headers } = message;
  const isForm = method === "POST" && headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
  if (!isForm || Number(headers["content-length"] ?? Infinity) > MAX_FORM_BYTES) return undefined;
  return (await readBody(message, MAX_FORM_BYTES)) ?? undefined;
}

async function refuse(
  { decider, challenges }: GuardContext,
  message: IncomingMessage,
  res: ServerResponse,
  request: GateRequest,
  decision: GateDecision,
): Promise<void> {
  const body = decision.action === "challenge" ? await readSmallForm(message) : undefined;
  if (discardsMuch(message)) res.setHeader("connection", "close");
  send(message, res, answerOf(challenges, decider.findProject(request), request, decision, body));
}

/** Undefined: all is done. The caller handles the failure of a promise. */
export type Progress = Promise<void> | undefined;

/** Goes on with a decision, at once if it is there. The promise rejects too when the client has left before it could be made. */
export function whenDecided(
  decision: GateDecision | Promise<GateDecision>,
  proceed: (decision: GateDecision) => Progress,
): Progress {
  return decision instanceof Promise ? decision.then(proceed) : proceed(decision);
}

function decideOn({ decider, bodyLimit }: GuardContext, message: IncomingMessage, request: GateRequest) {
  return decider.decide(request, hasBody(message) ? () => peekBody(message, bodyLimit) : undefined);
}

/** `url` is the request's URL as the client sent it. Calls `letThrough`, or `answering` and answers. */
export function guard(
  context: GuardContext,
  message: IncomingMessage,
  res: ServerResponse,
  url: string,
  letThrough: (request: GateRequest, decision: GateDecision) => void,
  answering: () => void = () => {},
): Progress {
  dropForeignNames(message);
  const request = readLiteral(message, url, context.trust);
  if (isUnreadable(request)) {
    answering();
    refuseUnreadable(context, message, res, 400, request);
    return undefined;
  }
  return whenDecided(decideOn(context, message, request), (decision) => {
    // The client has left meanwhile.
    if (res.destroyed) return undefined;
    releaseBody(message);
    if (!isLetThrough(decision)) {
      answering();
      return refuse(context, message, res, request, decision);
    }
    letThrough(request, decision);
    return undefined;
  });
}
