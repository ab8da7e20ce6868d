// How people stand to a team, and the writes that every move comes down to.
import { teamOf } from "../../kernel/caller.ts";
import type { Account } from "../../kernel/caller.ts";
import type { Call } from "../../kernel/contract.ts";
import { ApiError } from "../../kernel/errors.ts";
import { positionAt } from "../../kernel/pagination.ts";
import { hasPermission } from "../../kernel/permission.ts";
import type { Tx } from "../../kernel/tx.ts";
import { endInvite, findInviteByUid, findInvitesOf, settleInvitesOf } from "../invites/pending.ts";
import { forgetFormer } from "./former-store.ts";
import { addMemberEntry, revealMemberEntry } from "../search/entries.ts";
import { invitationOf } from "./invitation.ts";
import type { Invitation, Listed } from "./invitation.ts";
import type { Standing } from "./rules.ts";
import {
  findPerson,
  findPersonByEmail,
  insertMembership,
  listOpenRequests,
  listOtherOwners,
  lockAccount,
  updateMembership,
} from "./store.ts";
import type { Membership, Person } from "./row.ts";
import type { MembershipInput } from "../../kernel/membership.ts";

/** An account with everything that decides which moves are theirs. */
export interface Subject {
  readonly person: Person;
  readonly membership: Membership | null;
  /** Live invitations of the account, by id or by address, newest first; known to itself alone. */
  readonly invitations: readonly Invitation[];
  readonly standing: Standing;
}

/** The account of somebody who acts in person; an API key never joins, asks or leaves for its owner. */
export function requireInPerson({ caller }: { readonly caller: Call["caller"] }): Account {
  if (caller.kind !== "user" || !caller.account) {
    throw new ApiError("forbidden", "Not authorized: only a user's own access token can do this");
  }
  return caller.account;
}

/** An account as others see it, who learn nothing of invitations from its id or its address. */
export async function findSubject(
  tx: Tx,
  teamId: string,
  by: { readonly userId: string } | { readonly email: string },
): Promise<Subject | undefined> {
  const found =
    "userId" in by
      ? await findPerson(tx, teamId, by.userId)
      : await findPersonByEmail(tx, teamId, by.email.toLowerCase());
  return found && { ...found, invitations: [], standing: found.membership?.state ?? "none" };
}

/** How the caller stands to a team; the edge has just found their account. */
export async function getSelf(tx: Tx, call: Pick<Call, "caller" | "now">, teamId: string): Promise<Subject> {
  const { id } = requireInPerson(call);
  const self = await findSubject(tx, teamId, { userId: id });
  if (!self) throw new ApiError("not_authorized", "Not authorized: the account no longer exists");
  if (self.membership) return self;
  const invites = await findInvitesOf(tx, teamId, { email: self.person.email, userId: id });
  const invitations = invites.filter(({ expiresAt }) => expiresAt > call.now).map(invitationOf);
  return { ...self, invitations, standing: invitations.length > 0 ? "invited" : "none" };
}

/**
 * Somebody of the team's list by the id that stands there: an account, or an invitation, which leads to the account
 * that accepted it. Only who may read invites learns of one that is open.
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
  throw new ApiError("member_not_found", "Nobody with this id belongs to the team, is invited, or asks to join");
}

interface When {
  readonly teamId: string;
  readonly now: number;
}

async function addPerson(
  tx: Tx,
  { teamId, now }: When,
  person: Person,
  state: "requested" | "member",
  terms: MembershipInput,
  revision = 1,
): Promise<Membership> {
  const confirmedAt = state === "member" ? now : null;
  const accessRequestedAt = state === "requested" ? now : null;
  await insertMembership(tx, {
    teamId,
    userId: person.id,
    state,
    role: terms.role,
    joinedFrom: JSON.stringify(terms.joinedFrom),
    projects: JSON.stringify(terms.projects),
    teamPermissions: JSON.stringify(terms.teamPermissions),
    invitedBy: terms.invitedBy,
    confirmedAt,
    accessRequestedAt,
    revision,
    now,
    position: positionAt(now),
  });
  await addMemberEntry(tx, teamId, person.id);
  return { state, ...terms, confirmedAt, accessRequestedAt, createdAt: now, revision };
}

/** Opens a request of somebody who is not invited; invitations of theirs that have expired give way to it. */
export async function addRequest(tx: Tx, when: When, person: Person, terms: MembershipInput): Promise<Membership> {
  const { teamId, now } = when;
  for (const invite of await findInvitesOf(tx, teamId, { email: person.email, userId: person.id })) {
    await endInvite(tx, invite, now);
  }
  return await addPerson(tx, when, person, "requested", terms);
}

/** Makes somebody a confirmed member, whatever they were; what invites them is settled by it. */
export async function admit(tx: Tx, when: When, self: Subject, terms: MembershipInput): Promise<Membership> {
  const { person, membership, invitations } = self;
  await settleInvitesOf(tx, when.teamId, { email: person.email, userId: person.id, now: when.now });
  await forgetFormer(tx, { teamId: when.teamId, userId: person.id });
  if (!membership) {
    // The invitation's uid leads to the member, and revisions of one thing only grow.
    const revision = (invitations[0]?.membership.revision ?? 0) + 1;
    return await addPerson(tx, when, person, "member", terms, revision);
  }
  const admitted: Membership = { ...membership, ...terms, state: "member", confirmedAt: when.now };
  await updateMembership(tx, { ...when, userId: person.id }, admitted);
  await lockAccount(tx, { userId: person.id });
  await revealMemberEntry(tx, when.teamId, person.id);
  return { ...admitted, revision: membership.revision + 1 };
}

/** How many access requests are open, counted up to a limit. */
export async function countOpenRequests(tx: Tx, teamId: string, limit: number): Promise<number> {
  return (await listOpenRequests(tx, { teamId, limit })).length;
}

const MAX_OWNERS_TOLD = 10;

/** Owners who can act, without one account; at most ten. */
export function otherOwners(tx: Tx, teamId: string, userId: string) {
  return listOtherOwners(tx, { teamId, userId, limit: MAX_OWNERS_TOLD });
}
