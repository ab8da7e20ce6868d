// Accepting an invitation of an address without an account: the account, its method to sign in, the membership and the session are
// one change, so that nobody is left half way.
import type { Instance } from "../../../kernel/contract.ts";
import { fieldError } from "../../../kernel/errors.ts";
import type { Tx } from "../../../kernel/tx.ts";
import { findCode, unknownCode } from "../../invites/redeem.ts";
import { inviteStatus, refuseStatus } from "../../invites/rules.ts";
import { openAccount } from "../../sign-in/new-account.ts";
import type { NewOwner } from "../../sign-in/new-account.ts";
import { findSubject } from "../membership-lookup.ts";
import { joinByCode } from "./join.ts";

type FoundCode = NonNullable<Awaited<ReturnType<typeof findCode>>>;

/** What the page of an invitation shows to whoever has its code. */
export interface InvitationPreview {
  readonly teamName: string;
  readonly teamSlug: string;
  /** Null: the team's join link, whose role the team may change. */
  readonly role: string | null;
  readonly inviterName: string | null;
  /** The invited address; null: the code is for anybody, who needs an account already. */
  readonly email: string | null;
  /** ms; null: it has no end. */
  readonly expiresAt: number | null;
}

async function findInviterName(tx: Tx, { team, opened }: FoundCode): Promise<string | null> {
  if ("settings" in opened) return null;
  const inviter = await findSubject(tx, team.id, { userId: opened.invite.createdBy });
  return inviter ? (inviter.person.name ?? inviter.person.username) : null;
}

/** The invitation of a code that still works; undefined for any other. */
export async function previewInvitation(reader: Tx, code: string, now: number): Promise<InvitationPreview | undefined> {
  const found = await findCode(reader, code);
  if (!found) return undefined;
  const { team, opened } = found;
  const names = { teamName: team.name ?? team.slug, teamSlug: team.slug };
  if ("settings" in opened) return { ...names, role: null, inviterName: null, email: null, expiresAt: null };
  const { kind, email, role, expiresAt } = opened.invite;
  if (inviteStatus(opened.invite, now) !== "active") return undefined;
  const inviterName = await findInviterName(reader, found);
  return { ...names, role, inviterName, email: kind === "email" ? email : null, expiresAt };
}

export interface NewMember extends NewOwner {
  readonly code: string;
  readonly instance: Instance;
}

/** The address that an invitation makes an account for. Codes that are passed on make none: nobody would know whose it is. */
async function addressOf(tx: Tx, code: string, now: number) {
  const found = await findCode(tx, code);
  if (!found) throw unknownCode();
  const invite = "settings" in found.opened ? null : found.opened.invite;
  if (invite?.kind !== "email" || invite.email === null) {
    throw fieldError(
      "invite_wrong_email",
      "body.inviteCode",
      "this code is for people who have an account: sign in first",
    );
  }
  const status = inviteStatus(invite, now);
  if (status !== "active") throw refuseStatus(status);
  return { email: invite.email, isMailed: invite.isMailed };
}

/** Internal command. Throws what the form shows: a name or an address that is taken, a code that no longer works. */
export async function joinWithAccount(
  tx: Tx,
  { code, instance, ...owner }: NewMember,
  now: number,
): Promise<{ readonly userId: string }> {
  const { email, isMailed } = await addressOf(tx, code, now);
  const source = { email, isEmailConfirmed: isMailed, how: "from an invitation" };
  const { userId, act } = await openAccount(tx, owner, source, now);
  await joinByCode(tx, { ...act, instance }, code, undefined);
  return { userId };
}
