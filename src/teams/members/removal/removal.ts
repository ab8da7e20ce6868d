// Leaving a team, removing a member, and ending an invitation or an access request.
import { isInPerson, teamOf } from "../../../platform/kernel/caller.ts";
import type { Call } from "../../../platform/kernel/contract.ts";
import { fieldError, notFound } from "../../../platform/kernel/errors.ts";
import { refuseLimited, requirePermission, requireVisible } from "../../../platform/kernel/permission.ts";
import { requireRevision } from "../../../platform/kernel/revision.ts";
import type { Permission } from "../../../platform/kernel/roles.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { recordDecline, recordWithdrawal } from "../joining/declines.ts";
import { emit, lockOwner } from "../../../events/events/emit.ts";
import { endInvite } from "../../invites/pending.ts";
import { removeMemberEntry } from "../../../platform/store/search/entries.ts";
import { findTeamAccess } from "../../../identity/team-access/team-access.ts";
import type { membersContract } from "../contract.ts";
import { recordFormer } from "./former-store.ts";
import { revokeAfterDemotion } from "./loss.ts";
import type { Invitation, Listed } from "../joining/invitation.ts";
import { findMember, getSelf, otherOwners } from "../membership-lookup.ts";
import { TRANSITIONS, endingOf, losesOwner, requireOtherOwner, requireTransition } from "../rules.ts";
import type { MembershipStatus } from "../rules.ts";
import { deleteMembership, replaceDefaultTeam } from "../store.ts";
import { memberState } from "../view.ts";

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

/** Ending one's own membership, invitation or request needs no permission. A team that the caller may not see returns 404. */
function authorise(call: RemovalCall, ending: Ending, isSelf: boolean, status: MembershipStatus): void {
  if (isSelf && status !== "none") {
    refuseLimited(call.scope);
    return;
  }
  requireVisible(call.scope);
  if (!isSelf) requirePermission(call.scope, TRANSITIONS[ending].by as Permission);
}

/** The default team that the person has chosen in place of the one that is left; null: none. */
async function chooseDefaultTeam(tx: Tx, call: RemovalCall, isSelf: boolean): Promise<string | null> {
  const { newDefaultTeamId } = call.query;
  if (!isSelf || newDefaultTeamId === undefined) return null;
  // That of the team that is left has ended.
  const found = await findTeamAccess(tx, call.caller, newDefaultTeamId);
  const hasWaited = found && (await lockOwner(tx, found.id));
  const chosen = hasWaited ? await findTeamAccess(tx, call.caller, found.id) : found;
  if (!chosen?.role) {
    throw fieldError("default_team_not_member", "query.newDefaultTeamId", "expected another team of yours");
  }
  return chosen.id;
}

function describeEnding(ending: Ending, team: ReturnType<typeof teamOf>, { person, membership }: Listed) {
  const { id, username, email } = person;
  if (ending === "declineRequest" || ending === "withdrawRequest") {
    return { teamName: team.name ?? team.slug, teamId: team.id, username, updatedUid: id };
  }
  return { deletedUid: id, deletedUser: { username, email }, role: membership.role, reason: REASONS[ending] };
}

async function emitEnding(tx: Tx, call: RemovalCall, ending: Ending, listed: Listed): Promise<void> {
  const team = teamOf(call);
  await emit(tx, call, {
    type: TRANSITIONS[ending].event,
    ownerId: team.id,
    entityId: listed.person.id,
    text: TEXTS[ending](listed.person.username, team.slug),
    payload: describeEnding(ending, team, listed),
    previous: memberState(listed.membership),
  });
}

/** Ends invitations: of the caller, who may have been invited by address and by id, or the one that was named. */
async function endInvitations(tx: Tx, call: RemovalCall, ending: Ending, invitations: readonly Invitation[]) {
  for (const invitation of invitations) {
    await endInvite(tx, invitation.invite, call.now);
    await emitEnding(tx, call, ending, invitation);
  }
}

async function endMembership(tx: Tx, call: RemovalCall, ending: Ending, listed: Listed, isSelf: boolean) {
  const teamId = teamOf(call).id;
  const { now } = call;
  const { id: userId, username } = listed.person;
  const { state, role } = listed.membership;
  const key = { teamId, userId };
  const before = { status: state, role };
  if (losesOwner(before, { ...before, status: "none" })) {
    requireOtherOwner((await otherOwners(tx, teamId, userId)).length);
  }
  await deleteMembership(tx, key);
  await removeMemberEntry(tx, teamId, userId);
  if (state === "member") await recordFormer(tx, key, listed.membership, { isRemoved: ending === "remove", now });
  const newTeamId = state === "member" ? await chooseDefaultTeam(tx, call, isSelf) : null;
  if (ending === "declineRequest") await recordDecline(tx, { ...key, now });
  if (ending === "withdrawRequest") await recordWithdrawal(tx, { ...key, now });
  await emitEnding(tx, call, ending, listed);
  if (state !== "member") return;
  await revokeAfterDemotion(tx, call, { ...key, username, before: role, after: null });
  // Last: the account is read before it is changed, so that the read goes with the begin.
  await replaceDefaultTeam(tx, { ...key, newTeamId, now });
}

/** The person that the path names: the caller, or an entry of the list of members; undefined for anybody else. */
async function findNamed(tx: Tx, call: RemovalCall): Promise<Listed | readonly Invitation[] | undefined> {
  const teamId = teamOf(call).id;
  const { uid } = call.params;
  if (isInPerson(call.caller) && call.caller.account?.id === uid) {
    const { person, membership, invitations } = await getSelf(tx, call, teamId);
    return membership ? { person, membership, invite: null } : invitations;
  }
  return await findMember(tx, call, uid);
}

export async function removeMember(tx: Tx, call: RemovalCall) {
  const named = await findNamed(tx, call);
  const own = Array.isArray(named) ? (named as readonly Invitation[]) : undefined;
  const listed = own ? own[0] : (named as Listed | undefined);
  const isSelf = own !== undefined || call.caller.account?.id === listed?.person.id;
  const status = listed?.membership.state ?? "none";
  const ending = endingOf(status, isSelf && isInPerson(call.caller));
  authorise(call, ending, isSelf && isInPerson(call.caller), status);
  requireTransition(ending, status);
  if (!listed) throw notFound("Member");
  requireRevision(call, listed.membership.revision);
  if (listed.invite) await endInvitations(tx, call, ending, own ?? [listed as Invitation]);
  else await endMembership(tx, call, ending, listed, isSelf);
  return { id: teamOf(call).id };
}
