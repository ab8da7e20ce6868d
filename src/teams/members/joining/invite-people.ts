// Inviting people: by e-mail address or by account id. Several at once are one transaction.
import { teamOf } from "../../../platform/kernel/caller.ts";
import type { Call, Implements } from "../../../platform/kernel/contract.ts";
import { ApiError, fieldError } from "../../../platform/kernel/errors.ts";
import { requireGrantable } from "../../../platform/kernel/giving.ts";
import type { ProjectGrant } from "../../../platform/kernel/membership.ts";
import { newId } from "../../../platform/kernel/ids.ts";
import type { TeamRole } from "../../../platform/kernel/roles.ts";
import { requireEmail } from "../../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit } from "../../../events/events/emit.ts";
import { invitationOf } from "./invitation.ts";
import type { Invitation } from "./invitation.ts";
import { changeProjects } from "../projects.ts";
import { findSubject } from "../membership-lookup.ts";
import type { Subject } from "../membership-lookup.ts";
import { TRANSITIONS, requireTransition } from "../rules.ts";
import { memberState } from "../view.ts";
import type { Invitee, invitePeopleContract } from "./invite-contract.ts";
import { handOver } from "../../invites/codes.ts";
import { queueInvitation } from "../../invites/invitation-mail.ts";
import { addInvite } from "../../invites/issue.ts";
import { countPending, endInvite, findInvitesOf } from "../../invites/pending.ts";
import { INVITATION, LIFETIME_MS, isOpen } from "../../invites/rules.ts";

/** Bounds the open invitations of a team, because every page of the list of members scans them. */
const MAX_PENDING = 1_000;

type InviteCall = Call<typeof invitePeopleContract.inviteTeamMember>;

/** An invitee with its defaults. */
interface Order {
  readonly email: string | null;
  readonly userId: string | null;
  readonly role: TeamRole;
  readonly projects: readonly ProjectGrant[];
  readonly expiresAt: number;
  /** The input that names the person, for refusals. */
  readonly field: string;
}

async function announce(tx: Tx, call: InviteCall, { person, membership }: Invitation): Promise<void> {
  const team = teamOf(call);
  const { id: uid, username, email } = person;
  const { role } = membership;
  await emit(tx, call, {
    type: TRANSITIONS.invite.event,
    ownerId: team.id,
    entityId: uid,
    text: `invited ${username} to team ${team.slug} as ${role}`,
    payload: {
      invitedUser: { username, email },
      invitedEmail: email,
      invitedUid: uid,
      invitationRole: role,
      teamSlug: team.slug,
    },
    next: memberState(membership),
  });
}

/**
 * Refuses an address or id that the list of members has already. An address and the account that it belongs to may both be
 * invited, because a refusal would disclose that they belong together.
 */
async function refuseListed(tx: Tx, call: InviteCall, subject: Subject | undefined, { email, userId, field }: Order) {
  const teamId = teamOf(call).id;
  if (subject) requireTransition("invite", subject.status, field);
  const invites = await findInvitesOf(tx, teamId, userId === null ? { email: email ?? "" } : { userId });
  for (const issued of invites) {
    requireTransition("invite", isOpen(issued, call.now) ? "invited" : "none", field);
    // The new invitation replaces one that has ended.
    await endInvite(tx, issued.invite, call.now);
  }
}

/** Discloses nothing about an address but whether the list of members has it. */
async function inviteAs(tx: Tx, call: InviteCall, subject: Subject | undefined, order: Order) {
  await refuseListed(tx, call, subject, order);
  const { email, userId, role, projects, expiresAt } = order;
  const { invite, code } = await addInvite(tx, call, {
    id: newId("invite"),
    teamId: teamOf(call).id,
    kind: "email",
    email,
    userId,
    role,
    projects,
    maxUses: 1,
    expiresAt,
  });
  const invitation = invitationOf(invite);
  await announce(tx, call, invitation);
  // An account that is invited by id gets mail at its address, which the response does not show to the inviter.
  const recipient = email ?? (subject as Subject).person.email;
  await queueInvitation(tx, call, {
    recipient,
    inviteId: email === null ? null : invite.id,
    role,
    expiresAt: invite.expiresAt,
  });
  const { id: uid, username } = invitation.person;
  const response = { uid, username, email: email ?? "", role, teamRoles: [role], teamPermissions: [] };
  return email === null || call.instance.hasMail ? response : { ...response, ...handOver(call.instance, code) };
}

async function invitePerson(tx: Tx, call: InviteCall, invitee: Invitee, defaultRole: TeamRole, at: string) {
  const { uid, email, role = defaultRole } = invitee;
  const teamId = teamOf(call).id;
  const expiresAt = call.now + LIFETIME_MS;
  requireGrantable(call, { role, as: INVITATION, field: `${at}.role` });
  const order = { role, expiresAt, projects: changeProjects([], invitee.projects ?? [], call.now) };
  if (uid !== undefined) {
    const field = `${at}.uid`;
    const subject = await findSubject(tx, teamId, { userId: uid });
    if (!subject) throw fieldError("user_not_found", field, "there is no account with this id");
    return await inviteAs(tx, call, subject, { ...order, email: null, userId: uid, field });
  }
  const field = `${at}.email`;
  if (email === undefined) {
    throw fieldError("bad_request", field, "is required unless uid is given");
  }
  const address = requireEmail(email, field);
  const subject = await findSubject(tx, teamId, { email: address });
  return await inviteAs(tx, call, subject, { ...order, email: address, userId: null, field });
}

/** Runs after all are stored, so that replaced ones no longer count; an error rolls them back. */
async function refuseCrowd(tx: Tx, teamId: string): Promise<void> {
  if ((await countPending(tx, teamId, MAX_PENDING + 1)) <= MAX_PENDING) return;
  throw new ApiError(
    "too_many_invitations",
    `A team has at most ${MAX_PENDING} invitations of people that nobody accepted yet, expired ones too: withdraw some first`,
    { limit: MAX_PENDING },
  );
}

async function inviteAll(tx: Tx, call: InviteCall) {
  if (!Array.isArray(call.body)) return await invitePerson(tx, call, call.body, "MEMBER", "body");
  const invited = [];
  for (const [index, invitee] of call.body.entries()) {
    invited.push(await invitePerson(tx, call, invitee, "VIEWER", `body[${index}]`));
  }
  return { ...(invited[0] as (typeof invited)[number]), invited };
}

/** Invites one person (an object) or several (an array), all or none. */
async function invitePeople(tx: Tx, call: InviteCall) {
  const response = await inviteAll(tx, call);
  await refuseCrowd(tx, teamOf(call).id);
  return response;
}

export const invitePeopleService: Implements<typeof invitePeopleContract> = { inviteTeamMember: invitePeople };
