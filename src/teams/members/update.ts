// Changing a member, and confirming an access request: one call, as clients know it.
import type { Static } from "typebox";
import { teamOf } from "../../platform/kernel/caller.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { requireGrantable, requireRoleWithin } from "../../platform/kernel/giving.ts";
import { isGeneratedSdk } from "../../platform/kernel/clients/generated-sdk.ts";
import type { JoinedFrom } from "../../platform/kernel/membership.ts";
import { requirePermission } from "../../platform/kernel/permission.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import { ROLE_MASK } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { findIssuedTo } from "../invites/issue.ts";
import { changeInvite } from "../invites/pending.ts";
import { hasMailQuota } from "../../events/mails/quota.ts";
import { queueMail } from "../../events/mails/queue.ts";
import type { membersContract } from "./contract.ts";
import { revokeAfterDemotion } from "./removal/loss.ts";
import { changeProjects } from "./projects.ts";
import { getMember, otherOwners } from "./membership-lookup.ts";
import type { Membership, Person } from "./row.ts";
import { TRANSITIONS, losesOwner, requireOtherOwner, roleAfterUpdate, requireTransition } from "./rules.ts";
import { updateMembership } from "./store.ts";
import { memberState } from "./view.ts";

type UpdateCall = Call<typeof membersContract.updateTeamMember>;
type Update = Static<typeof membersContract.updateTeamMember.body>;

function unlinkSso(joinedFrom: JoinedFrom): JoinedFrom {
  const { ssoUserId, ssoConnectedAt: _connectedAt, ...rest } = joinedFrom;
  if (ssoUserId === undefined) {
    throw fieldError("no_sso_link", "body.joinedFrom.ssoUserId", "this member has no single sign-on to unlink");
  }
  return rest;
}

function applyUpdate(body: Update, before: Membership, call: UpdateCall): Membership {
  const { projects = [], teamPermissions, joinedFrom } = body;
  const isConfirmation = body.confirmed === true;
  const role = roleAfterUpdate({
    asked: body.role,
    current: before.role,
    isConfirmation,
    hasOtherChanges: Object.keys(body).some((key) => key !== "role" && key !== "confirmed"),
    isGeneratedSdk: isGeneratedSdk(call.origin.userAgent),
  });
  return {
    ...before,
    state: requireTransition(isConfirmation ? "confirmRequest" : "change", before.state) as Membership["state"],
    role,
    teamPermissions: teamPermissions ? [...new Set(teamPermissions)] : before.teamPermissions,
    projects: changeProjects(before.projects, projects, call.now),
    joinedFrom: joinedFrom ? unlinkSso(before.joinedFrom) : before.joinedFrom,
    confirmedAt: isConfirmation ? call.now : before.confirmedAt,
  };
}

/** Whether a change lets the person do more, and not only less. */
function givesMore(before: Membership, after: Membership): boolean {
  return before.state !== after.state || (ROLE_MASK[after.role] & ~ROLE_MASK[before.role]) !== 0;
}

/** Whether a change of an invitation only takes away. Otherwise who makes it answers for the invitation from then on. */
function isNarrower(before: Membership, after: Membership): boolean {
  const isAdded = after.teamPermissions.some((permission) => !before.teamPermissions.includes(permission));
  return !givesMore(before, after) && !isAdded && JSON.stringify(after.projects) === JSON.stringify(before.projects);
}

async function announceConfirmation(tx: Tx, call: UpdateCall, person: Person, role: string) {
  const team = teamOf(call);
  const teamName = team.name ?? team.slug;
  if (await hasMailQuota(tx, call, 1)) {
    await queueMail(tx, call, {
      kind: "access-request-confirmed",
      recipient: person.email,
      payload: { teamId: team.id, teamSlug: team.slug, teamName, role },
    });
  }
  return {
    type: TRANSITIONS.confirmRequest.event,
    text: `confirmed ${person.username}'s request to join team ${team.slug} as ${role}`,
    payload: { teamName, teamId: team.id, username: person.username, updatedUid: person.id },
  };
}

function describeChange(person: Person, before: Membership, after: Membership) {
  const { id, username, email } = person;
  return {
    type: TRANSITIONS.change.event,
    text:
      after.role === before.role ? `changed what ${username} may do` : `changed ${username}'s role to ${after.role}`,
    payload: { previousRole: before.role, role: after.role, updatedUid: id, updatedUser: { username, email } },
  };
}

export async function updateMember(tx: Tx, call: UpdateCall) {
  const team = teamOf(call);
  const { person, membership: before, invite } = await getMember(tx, call, call.params.uid);
  const uid = person.id;
  requireRevision(call, before.revision);
  if (call.body.confirmed) requirePermission(call.scope, TRANSITIONS.confirmRequest.by);
  const after = applyUpdate(call.body, before, call);
  if (JSON.stringify(after) === JSON.stringify(before)) return { id: team.id, revision: before.revision };
  if (givesMore(before, after)) requireGrantable(call, { role: after.role, as: "a role" });
  else requireRoleWithin(call, after.role);
  if (losesOwner({ status: before.state, role: before.role }, { status: after.state, role: after.role })) {
    requireOtherOwner((await otherOwners(tx, team.id, uid)).length);
  }
  if (invite) {
    const issuedTo = isNarrower(before, after) ? null : findIssuedTo(call.caller);
    await changeInvite(tx, invite, after, { issuedTo, now: call.now });
  } else await updateMembership(tx, { teamId: team.id, userId: uid, now: call.now }, after);
  const isConfirmation = before.state === "requested";
  await emit(tx, call, {
    ...(isConfirmation
      ? await announceConfirmation(tx, call, person, after.role)
      : describeChange(person, before, after)),
    ownerId: team.id,
    entityId: uid,
    previous: memberState(before),
    next: memberState(after),
  });
  if (before.state === "member") {
    const { username } = person;
    await revokeAfterDemotion(tx, call, {
      teamId: team.id,
      userId: uid,
      username,
      before: before.role,
      after: after.role,
    });
  }
  return { id: team.id, revision: before.revision + 1 };
}
