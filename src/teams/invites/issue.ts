// Issues codes, for new invites and in place of old codes, and ends the invites that a person answers for.
import { findResponsibleUserId } from "../../platform/kernel/caller.ts";
import type { Caller } from "../../platform/kernel/caller.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { listTeamsWithKeysOf } from "../../identity/api-keys/responsibility.ts";
import { suspendKeysBeyond } from "../../identity/workload/suspension.ts";
import { emit, lockOwner } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { createCode } from "./codes.ts";
import type { Invite } from "./row.ts";
import { inviteStatus, mayStillInvite } from "./rules.ts";
import {
  expireIssuedInvitations,
  findInvite,
  insertInvite,
  listTeamsOfIssuer,
  replaceCode,
  revokeIssuedCodes,
} from "./store.ts";

/** The most invites that the event of a bulk revocation names. */
const MAX_NAMED = 100;

type InviteOrder = Pick<
  Invite,
  "id" | "teamId" | "kind" | "email" | "userId" | "role" | "projects" | "maxUses" | "expiresAt"
>;

interface Renewal {
  readonly now: number;
  /** Whom the code is shown to; absent: nobody, and the person who invited before still answers for it. */
  readonly issuedTo?: string;
  /** The code is sent by mail, and shown to nobody. */
  readonly isMailed?: boolean;
  readonly expiresAt?: number;
}

/**
 * The person to whom a code is shown: the caller, or the person responsible for the caller's key, or that key when nobody is.
 */
export function findIssuedTo(caller: Caller): string {
  return findResponsibleUserId(caller) ?? caller.principalId;
}

/** Stores an invite and returns its code, which is stored nowhere. */
export async function addInvite(
  tx: Tx,
  { caller, now }: Pick<EventContext, "caller" | "now">,
  order: InviteOrder,
): Promise<{ readonly invite: Invite; readonly code: string }> {
  const { code, hash, suffix } = createCode();
  const invite: Invite = {
    ...order,
    teamPermissions: [],
    suffix,
    isMailed: false,
    uses: 0,
    revokedAt: null,
    createdBy: caller.principalId,
    createdAt: now,
    updatedAt: now,
    revision: 1,
  };
  await insertInvite(tx, invite, {
    codeHash: hash,
    issuedTo: findIssuedTo(caller),
    position: positionAt(now),
  });
  return { invite, code };
}

/** Gives an invite another code, and a new end where one is named; the old code no longer works. */
export async function renewCode(
  tx: Tx,
  invite: Invite,
  { now, issuedTo, isMailed = false, expiresAt = invite.expiresAt }: Renewal,
): Promise<{ readonly invite: Invite; readonly code: string }> {
  const { code, hash, suffix } = createCode();
  const { teamId, id } = invite;
  const stored = { codeHash: hash, suffix, issuedTo: issuedTo ?? null, isMailed: isMailed ? 1 : 0, expiresAt, now };
  await replaceCode(tx, { teamId, id, ...stored });
  return { invite: { ...invite, suffix, isMailed, expiresAt, updatedAt: now, revision: invite.revision + 1 }, code };
}

/**
 * Creates the code for an invitation's message when it is sent, because only the hash is stored; undefined when the invitation
 * is no longer active, so nothing must be sent.
 */
export async function rotateInviteCode(
  tx: Tx,
  { teamId, inviteId, now }: { readonly teamId: string; readonly inviteId: string; readonly now: number },
): Promise<{ readonly code: string; readonly expiresAt: number } | undefined> {
  const invite = await findInvite(tx, teamId, { id: inviteId });
  if (!invite || inviteStatus(invite, now) !== "active") return undefined;
  const { code } = await renewCode(tx, invite, { now, isMailed: true });
  return { code, expiresAt: invite.expiresAt };
}

/** A person who may no longer invite. */
export interface FormerIssuer {
  readonly userId: string;
  readonly username: string;
}

/**
 * Ends what lets people join a team in the name of a person, or of an API key that they answered for then: codes that were shown to them
 * are revoked, invitations of people expire. Neither works again when the person may invite again. The caller holds the team's lock.
 */
export async function endInvitesOf(
  tx: Tx,
  act: EventContext,
  teamId: string,
  { userId, username }: FormerIssuer,
): Promise<void> {
  const issued = { teamId, userId, now: act.now };
  const revoked = await revokeIssuedCodes(tx, issued);
  const expired = await expireIssuedInvitations(tx, issued);
  if (revoked.length + expired.length === 0) return;
  const name = (invites: readonly { readonly id: string }[]) => invites.slice(0, MAX_NAMED).map(({ id }) => id);
  await emit(tx, act, {
    type: "team-invite-bulk-delete",
    ownerId: teamId,
    entityId: teamId,
    text: `ended the invite codes and invitations of ${username}, who may no longer invite`,
    payload: {
      deletedCount: revoked.length,
      inviteIds: name(revoked),
      expiredCount: expired.length,
      expiredInviteIds: name(expired),
    },
  });
}

async function findAnswered(tx: Tx, userId: string, now: number) {
  const [invites, ofKeys] = await Promise.all([
    listTeamsOfIssuer(tx, { userId, now }),
    listTeamsWithKeysOf(tx, userId),
  ]);
  return { invites, teamIds: [...new Set([...ofKeys, ...invites.map(({ teamId }) => teamId)])].toSorted() };
}

/** Teams with keys or invites that a person answers for, in the order in which teams are locked. */
export async function listTeamsOfAnswerer(tx: Tx, userId: string, now: number): Promise<string[]> {
  return (await findAnswered(tx, userId, now)).teamIds;
}

/**
 * Suspends keys and ends invites in every team where the person may no longer do what those do, after the suspension of their account or
 * the end of its right to administer. The caller has locked the account.
 */
export async function endAccessInTeams(
  tx: Tx,
  act: EventContext,
  { isSuspended, ...person }: FormerIssuer & { readonly isSuspended: boolean },
): Promise<void> {
  const { userId } = person;
  const { invites, teamIds } = await findAnswered(tx, userId, act.now);
  const lost = invites.filter(({ role }) => !mayStillInvite({ isAdmin: false, role: role as TeamRole | null }));
  const ending = new Set(lost.map(({ teamId }) => teamId));
  for (const teamId of teamIds) {
    await lockOwner(tx, teamId);
    await suspendKeysBeyond(tx, act, teamId, person);
    if (isSuspended || ending.has(teamId)) await endInvitesOf(tx, act, teamId, person);
  }
}
