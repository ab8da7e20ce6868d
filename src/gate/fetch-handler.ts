// Protects a handler of web-standard requests.
import type { GateCore } from "./core.ts";
import { MAX_FORM_BYTES } from "./challenge/form.ts";
import { DECISION_HEADER, decisionHeader, isLetThrough } from "./decision.ts";
import type { GateDecision } from "./decision.ts";
import type { GateRequest, GateResponse } from "./message.ts";
import { findMisframed } from "./requests/framing.ts";
import { isForeign } from "./requests/header-names.ts";
import { peekFetchBody } from "./requests/peek-body.ts";
import { isUnreadable, readFetch } from "./requests/read-request.ts";
import { tellOf } from "./requests/forward-decision-headers.ts";
import { answerOf, challengeScope } from "./server/answer.ts";
import { isChallengeUrl, isRateLimitUrl } from "./server/guard.ts";
import { textResponse } from "./server/send.ts";

/** Who has sent a request, as its server says. */
export interface Sender {
  readonly peer: string | undefined;
  readonly ja4: string | undefined;
}

function responseOf({ status, headers, body }: GateResponse): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((text): [string, string] => [name, text]),
  );
  return new Response(body as string | null, { status, headers: pairs });
}

function isUnread({ body, bodyUsed }: Request): boolean {
  return body !== null && !body.locked && !bodyUsed;
}

function misframedOf({ headers }: Request) {
  return headers.has("transfer-encoding") ? findMisframed({ headers: Object.fromEntries(headers) }) : undefined;
}

/** A small body as text; undefined: it is larger, or there is none. */
async function smallBody(request: Request): Promise<string | undefined> {
  const length = Number(request.headers.get("content-length") ?? Infinity);
  return isUnread(request) && length <= MAX_FORM_BYTES ? await request.text() : undefined;
}

/** The same request at the host that was decided on: with a whole URL as its target, a client may name another one in `Host`. */
function copyOf(request: Request, { host, target }: GateRequest): Request {
  const { method, headers, signal, redirect, body } = request;
  const url = new URL(request.url);
  const decided = new URL(`${url.protocol}//${host}${target}`);
  if (decided.host === url.host && (body === null || isUnread(request))) return new Request(request);
  const unread = isUnread(request) ? { body, duplex: "half" as const } : {};
  return new Request(decided, { method, headers, signal, redirect, ...unread });
}

function tell(
  { trust }: GateCore,
  request: Request,
  own: GateRequest,
  decision: GateDecision,
  { peer = "", ja4 }: Sender,
): Request {
  const told = copyOf(request, own);
  const { headers } = told;
  const { passes, said } = tellOf(Object.fromEntries(headers), own, decision, trust, trust.isTrusted(peer));
  const dropped = [...headers.keys()].filter((name) => isForeign(name) || !passes(name));
  for (const name of dropped) headers.delete(name);
  for (const [name, value] of Object.entries(said)) headers.set(name, value);
  if (trust.ja4Header !== null) headers.delete(trust.ja4Header);
  if (trust.ja4Header !== null && ja4 !== undefined) headers.set(trust.ja4Header, ja4);
  return told;
}

export async function handleFetch(
  core: GateCore,
  request: Request,
  sender: Sender,
  letThrough: (request: Request) => Response | Promise<Response>,
): Promise<Response> {
  const { decider, challenges, rateLimitApi, responses, bodyLimit, trust } = core;
  const misframed = misframedOf(request);
  const own = misframed ?? readFetch(request, sender, trust);
  if (isUnreadable(own)) {
    const { status, headers, body } = textResponse(misframed?.status ?? 400, `Expected ${own.unreadable}.`);
    const said = { [DECISION_HEADER]: decisionHeader(decider.refuseUnreadable(status)) };
    return responseOf({ status, headers: { ...headers, ...said, ...(misframed && { connection: "close" }) }, body });
  }
  const project = decider.findProject(own);
  const scope = project ? challengeScope(project) : null;
  if (isChallengeUrl(own.target) && scope) {
    return responseOf(await challenges.handle(own, (await smallBody(request)) ?? "", scope));
  }
  if (isRateLimitUrl(own.target)) return responseOf(await rateLimitApi.answer(own));
  const decision = await decider.decide(own, () => peekFetchBody(request, bodyLimit));
  if (!isLetThrough(decision)) {
    const isForm = request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded");
    const form = decision.action === "challenge" && isForm ? await smallBody(request) : undefined;
    return responseOf(answerOf(challenges, project, own, decision, form));
  }
  const told = tell(core, request, own, decision, sender);
  let status = 500;
  try {
    const response = await letThrough(told);
    ({ status } = response);
    return response;
  } finally {
    if (project) responses.count(project, status, null);
  }
}
