// What is sent to a webhook: the body that says what happened, and its headers. Both are the same for every attempt, but
// for the time and the signatures.
import { NOT_LOGGED, UNLOGGED_RESPONSE } from "../resources/webhooks/deliveries/delivery-view.ts";
import { composeBody } from "../resources/webhooks/message-body.ts";
import type { Happened } from "../resources/webhooks/message-body.ts";
import { messageId } from "../resources/webhooks/message-id.ts";
import type { Target } from "../resources/webhooks/target.ts";
import type { EgressAnswer } from "./egress/egress-exchange.ts";
import { signatureHeaders } from "./signature.ts";

/** When it is sent (ms), and as whom. */
export interface Sending {
  readonly now: number;
  readonly userAgent: string;
  /** Of the attempt, where attempts are traced. */
  readonly traceparent?: string | undefined;
}

export interface Message {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The request that tells `target` of an event, signed for being sent at `now`. */
export function composeMessage(target: Target, happened: Happened, sending: Sending): Message {
  return finish(target, messageId(target.webhookId, happened.sequence), composeBody(target, happened), sending);
}

/** A message that is about no event. */
export function composeTest(target: Target, id: string, { now, userAgent }: Sending): Message {
  const team = target.teamId === null ? null : { id: target.teamId };
  const payload = { team, webhookId: target.webhookId, message: "This is a test." };
  const body = JSON.stringify({ id, type: "test-webhook", createdAt: now, region: null, payload });
  return finish(target, id, body, { now, userAgent });
}

function finish(target: Target, id: string, text: string, { now, userAgent, traceparent }: Sending): Message {
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

/** Shorter values would be found in texts that have nothing to do with them. */
const SHORTEST_VALUE = 8;

/** The headers as a log may show them: values of the owner's own are often credentials. */
export function loggedHeaders({ headers }: Message, target: Target): Record<string, string> {
  const shown = { ...headers };
  for (const name of Object.keys(target.headers)) shown[name] = NOT_LOGGED;
  return shown;
}

/** Without the values of the owner's own headers, which some receivers repeat. */
function masked(text: string, { headers }: Target): string {
  let shown = text;
  for (const value of Object.values(headers)) {
    if (value.length >= SHORTEST_VALUE) shown = shown.replaceAll(value, NOT_LOGGED);
  }
  return shown;
}

export interface LoggedAnswer {
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly isTruncated: boolean;
}

/** What a receiver answered, as a log may show it. */
export function loggedAnswer(answer: EgressAnswer | undefined, target: Target): LoggedAnswer {
  if (!answer) return { responseHeaders: {}, responseBody: "", isTruncated: false };
  if (!target.logsResponses) return UNLOGGED_RESPONSE;
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, masked(value, target)]);
  return {
    responseHeaders: Object.fromEntries(headers) as Record<string, string>,
    responseBody: masked(answer.body, target),
    isTruncated: answer.isTruncated,
  };
}
