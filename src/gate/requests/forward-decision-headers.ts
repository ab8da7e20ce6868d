// What an application is told about a request that was let through, in place of what a client claims.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { DECISION_HEADER, decisionHeader } from "../decision.ts";
import type { GateDecision } from "../decision.ts";
import type { GateRequest } from "../message.ts";
import { isClaim } from "./claims.ts";
import { dropTrailers, filterPairs, replaceHeaders } from "./header-names.ts";
import { restate } from "./restated-claims.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

const NOTHING: ReadonlyMap<string, string | undefined> = new Map();

/** Whether a header, by its name in lower case, reaches the application from a peer. */
function passesFrom({ ja4Header }: Pick<TrustedProxies, "ja4Header">, isTrusted: boolean) {
  return (name: string): boolean => !isClaim(name, isTrusted) && (isTrusted || name !== ja4Header);
}

/** What an application is told: what passes of the peer's headers, and what the gate itself says. */
export interface Told {
  readonly passes: (name: string) => boolean;
  readonly said: Readonly<Record<string, string>>;
}

export function tellOf(
  headers: IncomingHttpHeaders,
  request: GateRequest,
  decision: GateDecision,
  trust: Pick<TrustedProxies, "ja4Header">,
  isTrusted: boolean,
): Told {
  const { ip } = request;
  const own = { ...(ip !== undefined && { "x-real-ip": ip }), [DECISION_HEADER]: decisionHeader(decision) };
  const passes = passesFrom(trust, isTrusted);
  const changed = isTrusted ? restate(headers, request) : NOTHING;
  if (changed.size === 0) return { passes, said: own };
  const said: Record<string, string> = { ...own };
  for (const [name, text] of changed) if (text !== undefined) said[name] = text;
  return { passes: (name) => !changed.has(name) && passes(name), said };
}

/** The headers for the application. Those that rules have read stay as they are. */
export function headersToTell(
  headers: IncomingHttpHeaders,
  passes: (name: string) => boolean,
  said: Told["said"],
): IncomingHttpHeaders {
  const told: IncomingHttpHeaders = {};
  for (const name of Object.keys(headers)) if (passes(name)) told[name] = headers[name];
  return Object.assign(told, said);
}

/** In place, where a request has no other claim: rules do not see what the gate says then. */
function sayInPlace(headers: IncomingHttpHeaders, raw: string[], said: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(said)) {
    const at = name in headers ? raw.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name) : -1;
    if (at < 0) raw.push(name, value);
    else raw[at + 1] = value;
    headers[name] = value;
  }
}

/** Tells an application that is in this process. */
export function forwardDecisionHeaders(
  message: IncomingMessage,
  request: GateRequest,
  decision: GateDecision,
  trust: TrustedProxies,
): void {
  const { headers, rawHeaders, socket } = message;
  const { passes, said } = tellOf(headers, request, decision, trust, trust.isTrusted(socket.remoteAddress ?? ""));
  const names = Object.keys(headers);
  const isOnce = rawHeaders.length === 2 * names.length;
  if (isOnce && names.every((name) => passes(name) || Object.hasOwn(said, name))) {
    sayInPlace(headers, rawHeaders, said);
  } else {
    const raw = filterPairs(rawHeaders, (name) => passes(name.toLowerCase()));
    replaceHeaders(message, headersToTell(headers, passes, said), [...raw, ...Object.entries(said).flat()]);
  }
  // They come behind everything that rules see.
  if (headers["transfer-encoding"] !== undefined) dropTrailers(message, passes);
}
