// What an application is told about a request that was let through, in place of what a client claims.
import type { IncomingMessage } from "node:http";
import { DECISION_HEADER, decisionHeader } from "../decision.ts";
import type { GateDecision } from "../decision.ts";
import type { GateRequest } from "../message.ts";
import { DESCRIPTIONS } from "./request-attributes.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/**
 * What only a gate says, to the application or to a proxy, and what is said to gates alone. `X-Real-IP` is the key of the rate limits that
 * an application asks for.
 */
export const OF_THE_GATE = ["x-reeve-status", "x-reeve-location", "x-real-ip", ...DESCRIPTIONS];

/** The decision, and the client as the gate knows it. A stranger's own claims are left out. */
export function tellApplication(
  { headers, socket }: IncomingMessage,
  { ip }: GateRequest,
  decision: GateDecision,
  trust: TrustedProxies,
): void {
  if (!trust.isTrusted(socket.remoteAddress ?? "")) trust.deleteClaims(headers);
  for (const name of OF_THE_GATE) delete headers[name];
  if (ip !== undefined) headers["x-real-ip"] = ip;
  headers[DECISION_HEADER] = decisionHeader(decision);
}
