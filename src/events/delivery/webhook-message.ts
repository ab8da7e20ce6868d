// The message to a webhook: a body that describes an event, and headers. Both are the same for every attempt, except the time
// and the signatures.
import { NOT_LOGGED, UNLOGGED_RESPONSE } from "../webhooks/deliveries/delivery-view.ts";
import { composeBody } from "../webhooks/message-body.ts";
import type { DeliveredEvent } from "../webhooks/message-body.ts";
import { messageId } from "../webhooks/message-id.ts";
import type { Target } from "../webhooks/target.ts";
import type { EgressResponse } from "../../platform/egress/egress-exchange.ts";
import { signatureHeaders } from "./signature.ts";

/** When a message is sent (ms), and by which user agent. */
export interface SendContext {
  readonly now: number;
  readonly userAgent: string;
  /** Of the attempt's span, if attempts are traced. */
  readonly traceparent?: string | undefined;
}

export interface Message {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The signed message about an event for `target`. */
export function composeMessage(target: Target, event: DeliveredEvent, context: SendContext): Message {
  return sign(target, messageId(target.webhookId, event.sequence), composeBody(target, event), context);
}

function sign(target: Target, id: string, text: string, { now, userAgent, traceparent }: SendContext): Message {
  // Encoded once: it is signed twice and sent.
  const body = Buffer.from(text);
  return {
    id,
    body,
    headers: {
      ...(traceparent !== undefined && { traceparent }),
      ...target.headers,
      "content-type": "application/json",
      "user-agent": userAgent,
      ...signatureHeaders(target, id, now, body),
    },
  };
}

/** Shorter values also occur in texts by chance. */
const SHORTEST_VALUE = 8;

/** The headers as the log may show them: the values of the owner's own headers are often credentials. */
export function loggedHeaders({ headers }: Message, target: Target): Record<string, string> {
  const shown = { ...headers };
  for (const name of Object.keys(target.headers)) shown[name] = NOT_LOGGED;
  return shown;
}

/** Masks the values of the owner's own headers, which some receivers echo. */
function masked(text: string, { headers }: Target): string {
  let shown = text;
  for (const value of Object.values(headers)) {
    if (value.length >= SHORTEST_VALUE) shown = shown.replaceAll(value, NOT_LOGGED);
  }
  return shown;
}

export interface LoggedResponse {
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly isTruncated: boolean;
}

/** The response of a receiver, as the log may show it. */
export function loggedResponse(response: EgressResponse | undefined, target: Target): LoggedResponse {
  if (!response) return { responseHeaders: {}, responseBody: "", isTruncated: false };
  if (!target.logsResponses) return UNLOGGED_RESPONSE;
  const headers = Object.entries(response.headers).map(([name, value]) => [name, masked(value, target)]);
  return {
    responseHeaders: Object.fromEntries(headers) as Record<string, string>,
    responseBody: masked(response.body, target),
    isTruncated: response.isTruncated,
  };
}
