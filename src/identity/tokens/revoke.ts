// Deletes an access token: for its user, and for the client that it was issued to.
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { deleteToken } from "./store.ts";
import type { TokenRow } from "./store.ts";

/** Deletes a token and records the event. The next request with it is refused. */
export async function revokeToken(
  tx: Tx,
  act: EventContext,
  { id, userId, name, teamId, expiresAt }: TokenRow,
): Promise<void> {
  if ((await deleteToken(tx, { userId, id })) === 0) return;
  await emit(tx, act, {
    type: "user-token-deleted",
    ownerId: userId,
    entityId: id,
    text: `deleted access token ${name}`,
    payload: { tokenId: id, tokenName: name, tokenType: "token", actorTokenId: act.caller.credentialId },
    previous: { name, teamId, expiresAt },
  });
}
