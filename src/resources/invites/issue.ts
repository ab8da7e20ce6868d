// New codes: for a new invite, and in place of an old code.
import type { Caller } from "../../kernel/caller.ts";
import { positionAt } from "../../kernel/pagination.ts";
import type { Tx } from "../../kernel/tx.ts";
import { findAnswering } from "../api-keys/responsibility.ts";
import type { Act } from "../events/emit.ts";
import { createCode } from "./codes.ts";
import type { Invite } from "./row.ts";
import { inviteStatus } from "./rules.ts";
import { findInvite, insertInvite, replaceCode } from "./store.ts";

type InviteOrder = Pick<
  Invite,
  "id" | "teamId" | "kind" | "email" | "userId" | "role" | "projects" | "maxUses" | "expiresAt"
>;

interface Renewal {
  readonly now: number;
  readonly issuedTo: string;
  readonly expiresAt?: number;
}

/** The person who is shown a code: the caller, or the person responsible for the caller's key, or that key when nobody is. */
export async function findIssuedTo(tx: Tx, caller: Caller): Promise<string> {
  return (await findAnswering(tx, caller)) ?? caller.principalId;
}

/** Stores an invite and returns its code, which is stored nowhere. */
export async function addInvite(
  tx: Tx,
  { caller, now }: Pick<Act, "caller" | "now">,
  order: InviteOrder,
): Promise<{ readonly invite: Invite; readonly code: string }> {
  const { code, hash, suffix } = createCode();
  const invite: Invite = {
    ...order,
    teamPermissions: [],
    suffix,
    uses: 0,
    revokedAt: null,
    createdBy: caller.principalId,
    createdAt: now,
    updatedAt: now,
    revision: 1,
  };
  await insertInvite(tx, invite, {
    codeHash: hash,
    issuedTo: await findIssuedTo(tx, caller),
    position: positionAt(now),
  });
  return { invite, code };
}

/** Gives an invite another code, and a new end where one is named; the old code no longer works. */
export async function renewCode(
  tx: Tx,
  invite: Invite,
  { now, issuedTo, expiresAt = invite.expiresAt }: Renewal,
): Promise<{ readonly invite: Invite; readonly code: string }> {
  const { code, hash, suffix } = createCode();
  await replaceCode(tx, { teamId: invite.teamId, id: invite.id, codeHash: hash, suffix, issuedTo, expiresAt, now });
  return { invite: { ...invite, suffix, expiresAt, updatedAt: now, revision: invite.revision + 1 }, code };
}

/**
 * Creates the code for an invitation's message when it is sent, because only the hash is stored; undefined when the invitation is
 * no longer active, so that nothing is to be sent.
 */
export async function rotateInviteCode(
  tx: Tx,
  { teamId, inviteId, now }: { readonly teamId: string; readonly inviteId: string; readonly now: number },
): Promise<{ readonly code: string; readonly expiresAt: number } | undefined> {
  const invite = await findInvite(tx, teamId, { id: inviteId });
  if (!invite || inviteStatus(invite, now) !== "active") return undefined;
  const { code } = await renewCode(tx, invite, { now, issuedTo: invite.createdBy });
  return { code, expiresAt: invite.expiresAt };
}
