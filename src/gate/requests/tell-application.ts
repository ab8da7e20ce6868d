// What an application is told about a request that was let through, in place of what a client claims.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { DECISION_HEADER, decisionHeader } from "../decision.ts";
import type { GateDecision } from "../decision.ts";
import type { GateRequest } from "../message.ts";
import { isClaim } from "./claims.ts";
import { dropTrailers, filterPairs, replaceHeaders } from "./header-names.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** Whether a header, by its name in lower case, reaches the application from a peer. */
export function passesFrom({ ja4Header }: Pick<TrustedProxies, "ja4Header">, isTrusted: boolean) {
  return (name: string): boolean => !isClaim(name, isTrusted) && (isTrusted || name !== ja4Header);
}

/** What the gate itself says. */
export function sayings({ ip }: GateRequest, decision: GateDecision): Record<string, string> {
  return { ...(ip !== undefined && { "x-real-ip": ip }), [DECISION_HEADER]: decisionHeader(decision) };
}

/** The headers for the application. Those that rules have read stay as they are. */
export function headersToTell(
  headers: IncomingHttpHeaders,
  passes: (name: string) => boolean,
  said: Readonly<Record<string, string>>,
): IncomingHttpHeaders {
  const told: IncomingHttpHeaders = {};
  for (const name of Object.keys(headers)) if (passes(name)) told[name] = headers[name];
  return Object.assign(told, said);
}

/** In place, where a request has no other claim: rules do not see what the gate says. */
function sayInPlace(headers: IncomingHttpHeaders, raw: string[], said: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(said)) {
    const at = name in headers ? raw.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name) : -1;
    if (at < 0) raw.push(name, value);
    else raw[at + 1] = value;
    headers[name] = value;
  }
}

/** Tells an application that is in this process. */
export function tellApplication(
  message: IncomingMessage,
  request: GateRequest,
  decision: GateDecision,
  trust: TrustedProxies,
): void {
  const { headers, rawHeaders, socket } = message;
  const passes = passesFrom(trust, trust.isTrusted(socket.remoteAddress ?? ""));
  const said = sayings(request, decision);
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
