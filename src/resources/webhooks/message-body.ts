// The body that tells a webhook of an event: what is sent, and what the log shows of it.
import { EVENT_TYPES } from "../events/types.ts";
import { messageId } from "./message-id.ts";

export interface Happened {
  readonly sequence: number;
  readonly type: string;
  readonly createdAt: number;
  /** JSON text of the event's payload. */
  readonly payload: string;
  /** The account acted for. */
  readonly userId: string | null;
}

/** Whom a body is for. */
export interface Addressee {
  readonly webhookId: string;
  /** Null when a user owns it. */
  readonly teamId: string | null;
}

/** Receivers look for whom it is about in the payload; what a platform's own parts publish is sent as they gave it. */
function payloadOf({ type, payload, userId }: Happened, { teamId }: Addressee): string {
  if (!Object.hasOwn(EVENT_TYPES, type)) return payload;
  const team = teamId === null ? null : { id: teamId };
  const about = JSON.stringify({ team, user: userId === null ? null : { id: userId } });
  // No payload of ours has these names.
  return payload === "{}" ? about : `${about.slice(0, -1)},${payload.slice(1)}`;
}

/** The same for every attempt. */
export function composeBody(addressee: Addressee, happened: Happened): string {
  const { type, createdAt, sequence } = happened;
  const id = messageId(addressee.webhookId, sequence);
  const head = JSON.stringify({ id, type, createdAt, region: null }).slice(0, -1);
  return `${head},"payload":${payloadOf(happened, addressee)},"sequence":${sequence}}`;
}
