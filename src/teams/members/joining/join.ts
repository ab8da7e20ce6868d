// Joining a team by a code or by accepting an invitation. The handler finds the team itself, so it also takes the team's lock, and
// reads again what it read before, if it has waited for others. PostgreSQL runs what does not depend on each other in one round trip.
import type { TeamName } from "../../../platform/kernel/caller.ts";
import type { Call } from "../../../platform/kernel/contract.ts";
import { fieldError, teamNotFound } from "../../../platform/kernel/errors.ts";
import { refuseLimited } from "../../../platform/kernel/permission.ts";
import type { JoinOrigin, MembershipInput } from "../../../platform/kernel/membership.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../../events/events/emit.ts";
import { requestAccess } from "./ask.ts";
import { findCode, isShareable, inputOfCode, unknownCode, useCode } from "../../invites/redeem.ts";
import { findTeamAccess } from "../../../identity/team-access/team-access.ts";
import { findFormer } from "../removal/former-store.ts";
import { inputOfInvitation } from "./invitation.ts";
import { createMembership, findSubject, getSelf, requireInPerson } from "../membership-lookup.ts";
import type { Subject } from "../membership-lookup.ts";
import { TRANSITIONS, needsApproval, requireTransition } from "../rules.ts";
import { memberState } from "../view.ts";

type JoinContext = Pick<Call, "caller" | "origin" | "now" | "instance">;

interface Joined {
  readonly teamId: string;
  readonly slug: string;
  readonly name: string;
  readonly from: JoinOrigin;
  /** Only of an access request. */
  readonly confirmed?: false;
  readonly accessRequestedAt?: number;
}

async function describeInviter(tx: Tx, teamId: string, invitedBy: string | null) {
  const inviter = invitedBy === null ? undefined : await findSubject(tx, teamId, { userId: invitedBy });
  if (!inviter) return {};
  const { id, email, name } = inviter.person;
  return { invitedBy: { email, userId: id, ...(name === null ? {} : { name }) } };
}

function joinedTeam({ id, slug, name }: TeamName, from: JoinOrigin) {
  return { teamId: id, slug, name: name ?? slug, from };
}

async function joinTeam(
  tx: Tx,
  act: JoinContext,
  team: TeamName,
  self: Subject,
  move: "acceptInvitation" | "redeemCode",
  input: MembershipInput,
): Promise<Joined> {
  const [membership, inviter] = await Promise.all([
    createMembership(tx, { teamId: team.id, now: act.now }, self, input),
    describeInviter(tx, team.id, input.invitedBy),
  ]);
  const before = self.membership ?? self.invitations[0]?.membership;
  const { role } = membership;
  const { origin } = input.joinedFrom;
  await emit(tx, act, {
    type: TRANSITIONS[move].event,
    ownerId: team.id,
    entityId: self.person.id,
    text: `joined team ${team.slug} as ${role}`,
    payload: {
      uid: self.person.id,
      role,
      teamSlug: team.slug,
      origin,
      ...inviter,
      teamRoles: [role],
      teamPermissions: [...membership.teamPermissions],
    },
    ...(before ? { previous: memberState(before) } : {}),
    next: memberState(membership),
  });
  return joinedTeam(team, origin);
}

function refuseLimitedTo(call: JoinContext, teamId: string): void {
  refuseLimited({ isLimited: call.caller.teamId !== null && call.caller.teamId !== teamId });
}

/** Joins by a code. `named` is the id or slug of the team that the request names. */
export async function joinByCode(tx: Tx, act: JoinContext, code: string, named: string | undefined): Promise<Joined> {
  const seen = await findCode(tx, code);
  if (!seen) throw unknownCode();
  if (named !== undefined && named !== seen.team.id && named !== seen.team.slug) {
    throw fieldError("invite_wrong_team", "body.inviteCode", "this code is for another team");
  }
  refuseLimitedTo(act, seen.team.id);
  const { id: teamId } = seen.team;
  const { id: userId } = requireInPerson(act);
  const locked = lockOwner(tx, teamId);
  const [found, self, former] = await Promise.all([
    locked.then((hasWaited) => (hasWaited ? findCode(tx, code) : seen)),
    getSelf(tx, act, teamId),
    findFormer(tx, { teamId, userId }),
  ]);
  if (found?.team.id !== teamId) throw unknownCode();
  requireTransition("redeemCode", self.status);
  const input = inputOfCode(found, self.person, act.now);
  if (isShareable(found) && needsApproval(former, input.role)) {
    const { accessRequestedAt } = await requestAccess(tx, act, found.team, self, input);
    return { ...joinedTeam(found.team, input.joinedFrom.origin), confirmed: false, accessRequestedAt };
  }
  await useCode(tx, found, act.now);
  return await joinTeam(tx, act, found.team, self, "redeemCode", input);
}

/** Joins a team to which the caller is invited: that of the call's scope, or the one with this id or slug. */
export async function joinByInvitation(tx: Tx, act: JoinContext, named: string | TeamName): Promise<Joined> {
  const seen = typeof named === "string" ? await findTeamAccess(tx, act.caller, named) : named;
  if (!seen) throw teamNotFound();
  refuseLimitedTo(act, seen.id);
  const locked = lockOwner(tx, seen.id);
  const [team, self] = await Promise.all([
    locked.then((hasWaited) => (hasWaited ? findTeamAccess(tx, act.caller, seen.id) : seen)),
    getSelf(tx, act, seen.id),
  ]);
  if (!team) throw teamNotFound();
  requireTransition("acceptInvitation", self.status);
  const [invitation] = self.invitations;
  if (!invitation) throw new Error("an invited person has an invitation");
  return await joinTeam(tx, act, team, self, "acceptInvitation", inputOfInvitation(invitation));
}
