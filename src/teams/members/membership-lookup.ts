// Looks up the membership status of people in a team, and makes the writes that moves share.
import { teamOf } from "../../platform/kernel/caller.ts";
import type { Account } from "../../platform/kernel/caller.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import { hasPermission } from "../../platform/kernel/permission.ts";
import { emailKey } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { endInvite, findInviteByUid, findInvitesOf, settleInvitesOf } from "../invites/pending.ts";
import { isOpen } from "../invites/rules.ts";
import { addMemberEntry } from "../../platform/store/search/entries.ts";
import { invitationOf } from "./joining/invitation.ts";
import type { Invitation, Listed } from "./joining/invitation.ts";
import type { MembershipStatus } from "./rules.ts";
import {
  findPerson,
  findPersonByEmail,
  insertMembership,
  listOpenRequests,
  listOtherOwners,
  updateMembership,
} from "./store.ts";
import type { Membership, Person, PersonWithAccount } from "./row.ts";
import type { MembershipInput } from "../../platform/kernel/membership.ts";

/** An account with everything that decides which moves are allowed. */
export interface Subject {
  readonly person: PersonWithAccount;
  readonly membership: Membership | null;
  /** Live invitations of the account, by id or by address, newest first; known to itself alone. */
  readonly invitations: readonly Invitation[];
  readonly status: MembershipStatus;
}

/** The account of somebody who acts in person; an API key never joins, asks or leaves for its owner. */
export function requireInPerson({ caller }: { readonly caller: Call["caller"] }): Account {
  if (caller.kind !== "user" || !caller.account) {
    throw new ApiError("forbidden", "Not authorized: only a user's own access token can do this");
  }
  return caller.account;
}

/** An account as others see it: its id or address discloses no invitation. */
export async function findSubject(
  tx: Tx,
  teamId: string,
  by: { readonly userId: string } | { readonly email: string },
): Promise<Subject | undefined> {
  const found =
    "userId" in by ? await findPerson(tx, teamId, by.userId) : await findPersonByEmail(tx, teamId, emailKey(by.email));
  return found && { ...found, invitations: [], status: found.membership?.state ?? "none" };
}

/** The caller's membership status in a team. The authentication of the request has just found their account. */
export async function getSelf(tx: Tx, call: Pick<Call, "caller" | "now">, teamId: string): Promise<Subject> {
  const { id } = requireInPerson(call);
  const self = await findSubject(tx, teamId, { userId: id });
  if (!self) throw new ApiError("not_authorized", "Not authorized: the account no longer exists");
  if (self.membership) return self;
  const { email, isEmailConfirmed } = self.person;
  const invites = await findInvitesOf(tx, teamId, { ...(isEmailConfirmed ? { email } : {}), userId: id });
  const invitations = invites.filter((issued) => isOpen(issued, call.now)).map(({ invite }) => invitationOf(invite));
  return { ...self, invitations, status: invitations.length > 0 ? "invited" : "none" };
}

/**
 * An entry of the list of members by its uid: an account, or an invitation, which leads to the account that accepted it.
 * An open invitation is found only by callers who may read invites.
 */
export async function findMember(
  tx: Tx,
  call: { readonly scope: Call["scope"] },
  uid: string,
): Promise<Listed | undefined> {
  const teamId = teamOf(call).id;
  const found = await findPerson(tx, teamId, uid);
  if (found?.membership) return { person: found.person, membership: found.membership, invite: null };
  const invite = await findInviteByUid(tx, teamId, uid);
  if (invite?.uses === 0) return hasPermission(call.scope, "invite:read") ? invitationOf(invite) : undefined;
  const accepted = invite?.userId ? await findPerson(tx, teamId, invite.userId) : undefined;
  return accepted?.membership ? { person: accepted.person, membership: accepted.membership, invite: null } : undefined;
}

export async function getMember(tx: Tx, call: { readonly scope: Call["scope"] }, uid: string): Promise<Listed> {
  const listed = await findMember(tx, call, uid);
  if (listed) return listed;
  throw new ApiError(
    "member_not_found",
    "Nobody with this id belongs to the team, is invited, or asks to join; GET /v2/teams/{teamId}/members lists them",
  );
}

interface When {
  readonly teamId: string;
  readonly now: number;
}

async function addPerson(
  tx: Tx,
  { teamId, now }: When,
  userId: string,
  state: "requested" | "member",
  input: MembershipInput,
  revision = 1,
): Promise<Membership> {
  const confirmedAt = state === "member" ? now : null;
  const accessRequestedAt = state === "requested" ? now : null;
  const account = await insertMembership(tx, {
    teamId,
    userId,
    state,
    role: input.role,
    joinedFrom: JSON.stringify(input.joinedFrom),
    projects: JSON.stringify(input.projects),
    teamPermissions: JSON.stringify(input.teamPermissions),
    invitedBy: input.invitedBy,
    confirmedAt,
    accessRequestedAt,
    revision,
    now,
    position: positionAt(now),
  });
  await addMemberEntry(tx, teamId, account);
  return { state, ...input, confirmedAt, accessRequestedAt, createdAt: now, revision };
}

/** Makes the creator of a new team its first member, a confirmed OWNER. */
export async function addFoundingOwner(tx: Tx, when: When, userId: string): Promise<void> {
  await addPerson(tx, when, userId, "member", {
    role: "OWNER",
    joinedFrom: { origin: "teams" },
    projects: [],
    teamPermissions: [],
    invitedBy: null,
  });
}

/** Opens an access request of somebody who is not invited. It replaces their invitations that have ended. */
export async function addRequest(tx: Tx, when: When, person: Person, input: MembershipInput): Promise<Membership> {
  const { teamId, now } = when;
  for (const { invite } of await findInvitesOf(tx, teamId, { email: person.email, userId: person.id })) {
    await endInvite(tx, invite, now);
  }
  return await addPerson(tx, when, person.id, "requested", input);
}

/** Makes somebody a confirmed member, from any status, and marks their invitations as used. */
export async function createMembership(tx: Tx, when: When, self: Subject, input: MembershipInput): Promise<Membership> {
  const { person, membership, invitations } = self;
  await settleInvitesOf(tx, when.teamId, { email: person.email, userId: person.id, now: when.now });
  if (!membership) {
    // The invitation's uid leads to the member, and revisions of one thing only grow.
    const revision = (invitations[0]?.membership.revision ?? 0) + 1;
    return await addPerson(tx, when, person.id, "member", input, revision);
  }
  const admitted: Membership = { ...membership, ...input, state: "member", confirmedAt: when.now };
  await updateMembership(tx, { ...when, userId: person.id }, admitted);
  return { ...admitted, revision: membership.revision + 1 };
}

export const MAX_OPEN_REQUESTS = 100;

/** The accounts that ask to join a team. */
export async function listAsking(tx: Tx, teamId: string): Promise<string[]> {
  return (await listOpenRequests(tx, { teamId, limit: MAX_OPEN_REQUESTS })).map(({ userId }) => userId);
}

const MAX_OWNERS_INFORMED = 10;

/** Owners who can act, without one account; at most ten. */
export function otherOwners(tx: Tx, teamId: string, userId: string) {
  return listOtherOwners(tx, { teamId, userId, limit: MAX_OWNERS_INFORMED });
}
