// The body of the message about an event: it is sent to the webhook, and shown in the log.
import { TEST_NAME } from "../../platform/kernel/clients/public-webhook-names.ts";
import { EVENT_TYPES } from "../events/types.ts";
import { messageId } from "./message-id.ts";

export interface DeliveredEvent {
  readonly sequence: number;
  readonly type: string;
  readonly createdAt: number;
  /** JSON text of the event's payload. */
  readonly payload: string;
  /** The account acted for. */
  readonly userId: string | null;
}

/** The webhook that a body is for. */
export interface Recipient {
  readonly webhookId: string;
  /** Null when a user owns it. */
  readonly teamId: string | null;
}

/** Receivers look for the team and the user in the payload. Published events are sent with the payload that their publisher gave. */
function payloadOf({ type, payload, userId }: DeliveredEvent, { teamId }: Recipient): string {
  if (!Object.hasOwn(EVENT_TYPES, type)) return payload;
  const team = teamId === null ? null : { id: teamId };
  const about = JSON.stringify({ team, user: userId === null ? null : { id: userId } });
  // No payload of Reeve's own events has these names.
  return payload === "{}" ? about : `${about.slice(0, -1)},${payload.slice(1)}`;
}

/** The body is the same for every attempt. A test has no sequence: its receiver learns of no event. */
export function composeBody(recipient: Recipient, event: DeliveredEvent): string {
  const { type, createdAt, sequence } = event;
  const { webhookId, teamId } = recipient;
  const id = messageId(webhookId, sequence);
  if (type === TEST_NAME) {
    const payload = { team: teamId === null ? null : { id: teamId }, webhookId, message: "This is a test." };
    return JSON.stringify({ id, type, createdAt, region: null, payload });
  }
  const head = JSON.stringify({ id, type, createdAt, region: null }).slice(0, -1);
  return `${head},"payload":${payloadOf(event, recipient)},"sequence":${sequence}}`;
}
