// Inviting people: an account where there is one, otherwise the address. Several at once are one transaction.
import type { Call } from "../../kernel/contract.ts";
import { fieldError } from "../../kernel/errors.ts";
import type { ApiError } from "../../kernel/errors.ts";
import type { ProjectGrant } from "../../kernel/membership.ts";
import { newId } from "../../kernel/ids.ts";
import type { TeamRole } from "../../kernel/roles.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import { changeProjects } from "../members/projects.ts";
import { addPending, findSubject, teamOf } from "../members/roster.ts";
import type { Subject } from "../members/roster.ts";
import { MOVES, requireGrantable, step } from "../members/rules.ts";
import type { Invitee, invitesContract } from "./contract.ts";
import { queueInvitation } from "./invitation-mail.ts";
import { addInvite } from "./issue.ts";
import { findPendingInvite, revokeInvitesOf } from "./pending.ts";
import { LIFETIME_MS } from "./rules.ts";

type InviteCall = Call<typeof invitesContract.inviteTeamMember>;

/** An invitee with everything that was left out filled in. */
interface Invitation {
  readonly role: TeamRole;
  readonly projects: readonly ProjectGrant[];
  /** The input that names the person, for refusals. */
  readonly field: string;
}

interface Invited {
  readonly uid: string;
  readonly username: string;
  readonly email: string;
}

function unknownUser(field: string, what: string): ApiError {
  return fieldError("user_not_found", field, `there is no account with this ${what}`);
}

async function announce(
  tx: Tx,
  call: InviteCall,
  { uid, username, email }: Invited,
  { role, projects }: Invitation,
  inviteId: string | null,
): Promise<void> {
  const team = teamOf(call);
  await emit(tx, call, {
    type: MOVES.invite.event,
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
    next: {
      state: "invited",
      role,
      projects: projects.map((grant) => ({ projectId: grant.projectId, role: grant.role })),
    },
  });
  await queueInvitation(tx, call, { recipient: email, inviteId, role });
}

async function inviteAccount(
  tx: Tx,
  call: InviteCall,
  { person, standing }: Subject,
  invitation: Invitation,
  origin: "mail" | "teams",
): Promise<Invited> {
  step("invite", standing, invitation.field);
  const when = { teamId: teamOf(call).id, now: call.now };
  // An expired invitation of the address from before it had an account gives way to this one.
  await revokeInvitesOf(tx, { ...when, email: person.email });
  const { role, projects } = invitation;
  const invitedBy = call.caller.account?.id ?? null;
  await addPending(tx, when, person, "invited", { role, projects, joinedFrom: { origin }, invitedBy });
  const invited = { uid: person.id, username: person.username, email: person.email };
  await announce(tx, call, invited, invitation, null);
  return invited;
}

async function inviteAddress(
  tx: Tx,
  call: InviteCall,
  email: string,
  invitation: Invitation,
): Promise<Invited & { readonly code?: string }> {
  const address = { teamId: teamOf(call).id, email, now: call.now };
  step("invite", (await findPendingInvite(tx, address)) ? "invited" : "none", invitation.field);
  await revokeInvitesOf(tx, address);
  const id = newId("invite");
  const { role, projects } = invitation;
  const { code } = await addInvite(tx, call, {
    id,
    teamId: address.teamId,
    kind: "email",
    email,
    role,
    projects,
    maxUses: 1,
    expiresAt: call.now + LIFETIME_MS,
  });
  const invited = { uid: id, username: email, email };
  await announce(tx, call, invited, invitation, id);
  return call.instance.hasMail ? invited : { ...invited, code };
}

async function invitePerson(tx: Tx, call: InviteCall, invitee: Invitee, defaultRole: TeamRole, at: string) {
  const { uid, email, role = defaultRole } = invitee;
  const teamId = teamOf(call).id;
  requireGrantable(role, call.scope.permissions);
  const projects = changeProjects([], invitee.projects ?? [], call.now);
  const answer = { role, teamRoles: [role], teamPermissions: [] };
  if (uid !== undefined) {
    const field = `${at}.uid`;
    const subject = await findSubject(tx, teamId, { userId: uid }, call.now);
    if (!subject || subject.person.isSuspended) throw unknownUser(field, "id");
    return { ...(await inviteAccount(tx, call, subject, { role, projects, field }, "teams")), ...answer };
  }
  const field = `${at}.email`;
  if (email === undefined) {
    throw fieldError("bad_request", field, `is required unless uid is given`);
  }
  const subject = await findSubject(tx, teamId, { email }, call.now);
  if (!subject) return { ...(await inviteAddress(tx, call, email, { role, projects, field })), ...answer };
  if (subject.person.isSuspended) throw unknownUser(field, "address that can sign in");
  return { ...(await inviteAccount(tx, call, subject, { role, projects, field }, "mail")), ...answer };
}

/** Invites one person (an object) or several (an array), all or none. */
export async function invitePeople(tx: Tx, call: InviteCall) {
  if (!Array.isArray(call.body)) return await invitePerson(tx, call, call.body, "MEMBER", "body");
  const invited = [];
  for (const [index, invitee] of call.body.entries()) {
    invited.push(await invitePerson(tx, call, invitee, "VIEWER", `body[${index}]`));
  }
  return { ...(invited[0] as (typeof invited)[number]), invited };
}
