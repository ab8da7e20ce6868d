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
  const raw = filterPairs(rawHeaders, (name) => passes(name.toLowerCase()));
  for (const [name, value] of Object.entries(said)) raw.push(name, value);
  replaceHeaders(message, headersToTell(headers, passes, said), raw);
  // They come behind everything that rules see.
  if (headers["transfer-encoding"] !== undefined) dropTrailers(message, passes);
}
