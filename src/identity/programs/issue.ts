// The access token of a grant.
import type { Origin } from "../../platform/kernel/caller.ts";
import type { NewCredential } from "../../platform/kernel/credential.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { findTeamAccess } from "../team-access/team-access.ts";
import { actAs } from "../methods/account.ts";
import { issueToken } from "../tokens/issue.ts";
import { requireRoom } from "../tokens/room.ts";
import type { Approval } from "./grant.ts";
import { findRecord } from "./store.ts";

export interface GrantedToken {
  readonly grantHash: string;
  readonly clientId: string;
  readonly credential: NewCredential;
  /** The program that takes the token. */
  readonly origin: Origin;
  /** `REEVE_MAX_TOKENS` */
  readonly maxTokens: number;
}

/**
 * Internal change: issues the token that a person approved, within what they may still do. Returns its end, ms; null: never.
 */
export async function issueGrantedToken(
  tx: Tx,
  { grantHash, clientId, credential, origin, maxTokens }: GrantedToken,
  now: number,
): Promise<number | null> {
  const grant = await findRecord(tx, { model: "Grant", hash: grantHash });
  if (!grant || grant.expiresAt <= now) throw new ApiError("not_authorized", "The approval has expired");
  const { approval } = JSON.parse(grant.payload) as { readonly approval: Approval };
  const { userId, teamId, endsAt, name } = approval;
  const act = await actAs(tx, userId, origin, now);
  const team = teamId === null ? null : await findTeamAccess(tx, act.caller, teamId);
  if (teamId !== null && !team?.role) {
    throw new ApiError("not_authorized", "The person who approved is no longer a member of the team");
  }
  await requireRoom(tx, { userId, maxTokens, now });
  await issueToken(tx, act, {
    userId,
    name,
    teamId,
    expiresAt: endsAt,
    credential,
    client: { id: clientId, grantHash },
  });
  return endsAt;
}
