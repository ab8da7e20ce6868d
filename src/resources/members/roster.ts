// How people stand to a team, and the writes that every move comes down to.
import type { Account } from "../../kernel/caller.ts";
import type { Call } from "../../kernel/contract.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { positionAt } from "../../kernel/pagination.ts";
import { hasPermission } from "../../kernel/permission.ts";
import type { Tx } from "../../kernel/tx.ts";
import { findPendingInvite, settleInvitesOf } from "../invites/pending.ts";
import type { PendingInvite } from "../invites/pending.ts";
import { forgetFormer } from "./former-store.ts";
import { enterMember, revealMember } from "../search/entries.ts";
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
import type { Terms } from "./terms.ts";

/** A team, as events, mail and answers name it. */
export interface TeamName {
  readonly id: string;
  readonly slug: string;
  readonly name: string | null;
}

/** Somebody with everything that decides which moves are theirs. */
export interface Subject {
  readonly person: Person;
  readonly membership: Membership | null;
  /** A live invitation of the account's e-mail address, sent before the address had an account. */
  readonly emailInvite: PendingInvite | undefined;
  readonly standing: Standing;
}

/** The team that a call is about. */
export function teamOf(call: { readonly scope: Call["scope"] }): TeamName {
  const { team } = call.scope;
  if (!team) throw new Error("the edge admitted a call without its team");
  return team;
}

/** Answers as if there were no such team to those who may not know of it (law 4). */
export function requireVisible({ scope }: { readonly scope: Call["scope"] }): void {
  if (scope.team?.role === null && !hasPermission(scope, "team:read")) throw notFound("Team");
}

/** The account of somebody who acts in person; an API key never joins, asks or leaves for its owner. */
export function requireInPerson({ caller }: { readonly caller: Call["caller"] }): Account {
  if (caller.kind !== "user" || !caller.account) {
    throw new ApiError("forbidden", "Not authorized: only a user's own access token can do this");
  }
  return caller.account;
}

export async function findSubject(
  tx: Tx,
  teamId: string,
  by: { readonly userId: string } | { readonly email: string },
  now: number,
): Promise<Subject | undefined> {
  const found =
    "userId" in by
      ? await findPerson(tx, teamId, by.userId)
      : await findPersonByEmail(tx, teamId, by.email.toLowerCase());
  if (!found) return undefined;
  const { person, membership } = found;
  const emailInvite = await findPendingInvite(tx, { teamId, email: person.email, now });
  return { person, membership, emailInvite, standing: membership?.state ?? (emailInvite ? "invited" : "none") };
}

/** How the caller stands to a team; the edge has just found their account. */
export async function getSelf(tx: Tx, call: Pick<Call, "caller" | "now">, teamId: string): Promise<Subject> {
  const { id } = requireInPerson(call);
  const self = await findSubject(tx, teamId, { userId: id }, call.now);
  if (!self) throw new ApiError("not_authorized", "Not authorized: the account no longer exists");
  return self;
}

/** Answers `member_not_found` for everybody who is neither in the team nor about to be. */
export async function getMember(
  tx: Tx,
  teamId: string,
  userId: string,
): Promise<{ readonly person: Person; readonly membership: Membership }> {
  const found = await findPerson(tx, teamId, userId);
  if (!found?.membership) {
    throw new ApiError("member_not_found", "Nobody with this id belongs to the team, is invited, or asks to join");
  }
  return { person: found.person, membership: found.membership };
}

interface When {
  readonly teamId: string;
  readonly now: number;
}

async function addPerson(
  tx: Tx,
  { teamId, now }: When,
  person: Person,
  state: Membership["state"],
  terms: Terms,
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
    invitedBy: terms.invitedBy,
    confirmedAt,
    accessRequestedAt,
    now,
    position: positionAt(now),
  });
  // An inviter gave the address, or an id, by which nobody is found.
  const given = state !== "invited" ? undefined : terms.joinedFrom.origin === "mail" ? person.email : null;
  await enterMember(tx, teamId, person.id, given);
  return { state, ...terms, teamPermissions: [], confirmedAt, accessRequestedAt, createdAt: now, revision: 1 };
}

export function addPending(tx: Tx, when: When, person: Person, state: "invited" | "requested", terms: Terms) {
  return addPerson(tx, when, person, state, terms);
}

/** Makes somebody a confirmed member, whatever they were; invitations of their address are settled by it. */
export async function admit(tx: Tx, when: When, { person, membership }: Subject, terms: Terms): Promise<Membership> {
  await settleInvitesOf(tx, { teamId: when.teamId, email: person.email, now: when.now });
  await forgetFormer(tx, { teamId: when.teamId, userId: person.id });
  if (!membership) return await addPerson(tx, when, person, "member", terms);
  const admitted: Membership = { ...membership, ...terms, state: "member", confirmedAt: when.now };
  await updateMembership(tx, { ...when, userId: person.id }, admitted);
  await lockAccount(tx, { userId: person.id });
  await revealMember(tx, when.teamId, person.id);
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
