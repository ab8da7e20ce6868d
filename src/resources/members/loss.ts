// What ends beside somebody's own rights when they go or are demoted: the API keys of the team that they answer for, and the
// codes that they could see let people in.
import type { TeamRole } from "../../kernel/roles.ts";
import type { Tx } from "../../kernel/tx.ts";
import { suspendAllKeys, suspendKeysBeyond } from "../api-keys/responsibility.ts";
import type { Act } from "../events/emit.ts";
import { revokeCodesOf } from "../invites/withdrawal.ts";
import { renewJoinLink } from "../invites/join-link.ts";
import { losesCodes } from "./rules.ts";

interface Loss {
  readonly teamId: string;
  readonly userId: string;
  readonly username: string;
  readonly before: TeamRole;
  /** Null for whoever is no longer a member. */
  readonly after: TeamRole | null;
  /** The account itself is being deleted, with whatever else it may. */
  readonly isDeleted?: true;
}

/** Follows every change by which a confirmed member may do less. The caller holds the team's lock. */
export async function settleLoss(tx: Tx, act: Act, loss: Loss): Promise<void> {
  const { teamId, userId, username, before, after, isDeleted } = loss;
  await (isDeleted ? suspendAllKeys : suspendKeysBeyond)(tx, act, teamId, { userId, username });
  if (!losesCodes(before, after)) return;
  await renewJoinLink(tx, act, teamId);
  await revokeCodesOf(tx, act, { teamId, userId, username });
}
