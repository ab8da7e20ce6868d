// When a member leaves, is removed or is demoted, suspends the team's API keys that they are responsible for, and revokes the
// join codes that they could see.
import type { TeamRole } from "../../../platform/kernel/roles.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { suspendKeysAfter } from "../../../identity/workload/suspension.ts";
import type { EventContext } from "../../../events/events/emit.ts";
import { endInvitesOf } from "../../invites/issue.ts";
import { renewJoinLink } from "../../invites/join-link.ts";
import { losesInviteCodes } from "../rules.ts";

interface Loss {
  readonly teamId: string;
  readonly userId: string;
  readonly username: string;
  readonly before: TeamRole;
  /** Null when the person is no longer a member. */
  readonly after: TeamRole | null;
}

/** Runs after every change that takes permissions from a confirmed member. The caller holds the team's lock. */
export async function revokeAfterDemotion(tx: Tx, act: EventContext, loss: Loss): Promise<void> {
  const { teamId, userId, username, before, after } = loss;
  await suspendKeysAfter(tx, act, teamId, { userId, username, role: after });
  if (!losesInviteCodes(before, after)) return;
  await renewJoinLink(tx, act, teamId);
  await endInvitesOf(tx, act, teamId, { userId, username });
}
