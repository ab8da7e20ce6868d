// Taking somebody out of a team: leaving, removing, and ending an invitation or an access request.
import type { Call } from "../../kernel/contract.ts";
import { fieldError, notFound } from "../../kernel/errors.ts";
import { refuseLimited, requirePermission } from "../../kernel/permission.ts";
import { requireRevision } from "../../kernel/revision.ts";
import type { Permission } from "../../kernel/roles.ts";
import type { Tx } from "../../kernel/tx.ts";
import { noteDecline, noteWithdrawal } from "../access-requests/declines.ts";
import { emit, lockChain } from "../events/emit.ts";
import { revokeInvitesOf } from "../invites/pending.ts";
import { removeMemberEntry } from "../search/entries.ts";
import { findTeamAccess } from "../teams/directory.ts";
import type { membersContract } from "./contract.ts";
import { noteFormer } from "./former-store.ts";
import { settleLoss } from "./loss.ts";
import { findSubject, otherOwners, requireVisible, teamOf } from "./roster.ts";
import type { Subject } from "./roster.ts";
import { MOVES, endingOf, losesOwner, requireOtherOwner, step } from "./rules.ts";
import type { Standing } from "./rules.ts";
import { deleteMembership, replaceDefaultTeam } from "./store.ts";
import { memberState } from "./view.ts";

type RemovalCall = Call<typeof membersContract.removeTeamMember>;
type Ending = ReturnType<typeof endingOf>;

const TEXTS: Readonly<Record<Ending, (who: string, team: string) => string>> = {
  leave: (_who, team) => `left team ${team}`,
  remove: (who, team) => `removed ${who} from team ${team}`,
  declineInvitation: (_who, team) => `declined the invitation to team ${team}`,
  withdrawInvitation: (who, team) => `withdrew ${who}'s invitation to team ${team}`,
  withdrawRequest: (_who, team) => `withdrew the request to join team ${team}`,
  declineRequest: (who, team) => `declined ${who}'s request to join team ${team}`,
};

const REASONS: Readonly<Partial<Record<Ending, string>>> = {
  declineInvitation: "invitation declined",
  withdrawInvitation: "invitation withdrawn",
};

/** What may be done to oneself needs no permission; what one may not see does not exist. */
function authorise(call: RemovalCall, ending: Ending, isSelf: boolean, standing: Standing): void {
  if (isSelf && standing !== "none") {
    refuseLimited(call.scope);
    return;
  }
  requireVisible(call);
  if (!isSelf) requirePermission(call.scope, MOVES[ending].by as Permission);
}

async function moveDefaultTeam(tx: Tx, call: RemovalCall, teamId: string, userId: string, isSelf: boolean) {
  const { newDefaultTeamId } = call.query;
  let newTeamId: string | null = null;
  if (isSelf && newDefaultTeamId !== undefined) {
    const found = await findTeamAccess(tx, call.caller, newDefaultTeamId);
    if (found) await lockChain(tx, found.id);
    // The membership may have ended before the lock was there.
    const chosen = found && (await findTeamAccess(tx, call.caller, found.id));
    if (!chosen || chosen.role === null || chosen.id === teamId) {
      throw fieldError("default_team_not_member", "query.newDefaultTeamId", "expected another team of yours");
    }
    newTeamId = chosen.id;
  }
  await replaceDefaultTeam(tx, { userId, teamId, newTeamId, now: call.now });
}

function describeEnding(ending: Ending, team: ReturnType<typeof teamOf>, { person, membership, emailInvite }: Subject) {
  const { id, username, email } = person;
  if (ending === "declineRequest" || ending === "withdrawRequest") {
    return { teamName: team.name ?? team.slug, teamId: team.id, username, updatedUid: id };
  }
  const reason = REASONS[ending];
  return {
    deletedUid: id,
    deletedUser: { username, email },
    role: (membership ?? emailInvite)?.role,
    ...(reason === undefined ? {} : { reason }),
  };
}

export async function removeMember(tx: Tx, call: RemovalCall) {
  const team = teamOf(call);
  const { uid } = call.params;
  const isSelf = call.caller.kind === "user" && call.caller.account?.id === uid;
  const subject = await findSubject(tx, team.id, { userId: uid }, call.now);
  const standing = subject?.standing ?? "none";
  const ending = endingOf(standing, isSelf);
  authorise(call, ending, isSelf, standing);
  step(ending, standing);
  if (!subject) throw notFound("Member");
  const { membership, person } = subject;
  if (membership) {
    requireRevision(call, membership.revision);
    const before = { standing, role: membership.role };
    if (losesOwner(before, { ...before, standing: "none" })) {
      requireOtherOwner((await otherOwners(tx, team.id, uid)).length);
    }
    await deleteMembership(tx, { teamId: team.id, userId: uid });
    if (standing === "member") {
      const { role } = membership;
      await noteFormer(tx, { teamId: team.id, userId: uid, role, isRemoved: ending === "remove", now: call.now });
    }
    await removeMemberEntry(tx, team.id, uid);
  }
  if (standing === "invited") await revokeInvitesOf(tx, { teamId: team.id, email: person.email, now: call.now });
  if (standing === "member") await moveDefaultTeam(tx, call, team.id, uid, isSelf);
  if (ending === "declineRequest") await noteDecline(tx, { teamId: team.id, userId: uid, now: call.now });
  if (ending === "withdrawRequest") await noteWithdrawal(tx, { teamId: team.id, userId: uid, now: call.now });
  await emit(tx, call, {
    type: MOVES[ending].event,
    ownerId: team.id,
    entityId: uid,
    text: TEXTS[ending](person.username, team.slug),
    payload: describeEnding(ending, team, subject),
    ...(membership ? { previous: memberState(membership) } : {}),
  });
  if (membership?.state === "member") {
    const { username } = person;
    await settleLoss(tx, call, { teamId: team.id, userId: uid, username, before: membership.role, after: null });
  }
  return { id: team.id };
}
