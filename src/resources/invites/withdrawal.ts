// Withdrawing all the codes that somebody knows, because they may no longer invite.
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { revokeIssuedCodes } from "./store.ts";

const MAX_NAMED = 100;

/** Revokes the shareable codes that were shown to a person, or to an API key that they answered for then. */
export async function revokeCodesOf(
  tx: Tx,
  act: Act,
  { teamId, userId, username }: { readonly teamId: string; readonly userId: string; readonly username: string },
): Promise<void> {
  const revoked = await revokeIssuedCodes(tx, { teamId, userId, now: act.now });
  if (revoked.length === 0) return;
  await emit(tx, act, {
    type: "team-invite-bulk-delete",
    ownerId: teamId,
    entityId: teamId,
    text: `revoked the invite codes of ${username}, who may no longer invite`,
    payload: { deletedCount: revoked.length, inviteIds: revoked.slice(0, MAX_NAMED).map(({ id }) => id) },
  });
}
