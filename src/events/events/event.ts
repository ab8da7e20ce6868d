// The public form of an event, which clients and auditors read.
import type { Static } from "typebox";
import type { Event } from "./contract.ts";
import type { ActorSnapshot } from "./emit.ts";
import type { EventRow } from "./feed/feed-store.ts";
import { VOCABULARY } from "./vocabulary.ts";

type PublicEvent = Static<typeof Event>;

/** Clients require strings here, so a missing avatar is empty. */
function userOf(uid: string, { account }: ActorSnapshot): NonNullable<PublicEvent["user"]> | undefined {
  if (!account) return undefined;
  const { username, email, avatar } = account;
  return { uid, username, email, slug: username, avatar: avatar ?? "" };
}

function principalOf(row: EventRow, { keyName = "" }: ActorSnapshot, user: PublicEvent["user"]) {
  const id = row.principalId;
  if (row.actorKind === "key") return { type: "app", id, clientId: id, name: keyName } as const;
  return user ? ({ type: "user", ...user } as const) : ({ type: "system" } as const);
}

function detailsOf(row: EventRow) {
  return {
    ip: row.ip,
    ...(row.userAgent !== null && { userAgent: row.userAgent }),
    payload: JSON.parse(row.payload) as Record<string, unknown>,
    previous: JSON.parse(row.previous ?? "null") as Record<string, unknown> | null,
    next: JSON.parse(row.next ?? "null") as Record<string, unknown> | null,
  };
}

export function publicEvent(row: EventRow, withPayload: boolean): PublicEvent {
  const actor = JSON.parse(row.actor) as ActorSnapshot;
  const userId = row.userId ?? "";
  const user = userOf(userId, actor);
  // A newer Reeve on the same database may have stored a type that this one does not know.
  const info = VOCABULARY.get(row.type);
  return {
    id: row.id,
    sequence: row.sequence,
    type: row.type,
    text: row.text,
    entities: JSON.parse(row.entities) as PublicEvent["entities"],
    categories: [...(info?.categories ?? [])],
    createdAt: row.createdAt,
    principalId: row.principalId,
    principal: principalOf(row, actor, user),
    userId,
    ...(user && { user }),
    ...(row.credentialId !== null && { tokenId: row.credentialId }),
    channel: row.via as PublicEvent["channel"],
    requestId: row.requestId,
    ...(actor.clientRequestId !== undefined && { clientRequestId: actor.clientRequestId }),
    entityId: row.entityId,
    ...(row.projectId !== null && { projectId: row.projectId }),
    hash: row.hash,
    ...(withPayload && detailsOf(row)),
  };
}
