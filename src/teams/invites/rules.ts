// When a code still works. Each reason why it does not has an error code of its own.
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import type { ApiError } from "../../platform/kernel/errors.ts";
import { ROLE_MASK, permissionBit } from "../../platform/kernel/roles.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import { isSameEmail } from "../../platform/kernel/text/email-address.ts";
import { EPOCH_MS, refuseSeconds } from "../../platform/kernel/units.ts";

export const LIFETIME_MS = 7 * DAY_MS;
const MAX_LIFETIME_MS = 365 * DAY_MS;
/** As refusals name what hands out a role. */
export const INVITATION = "an invitation";

export interface InviteLimits {
  readonly email: string | null;
  readonly userId: string | null;
  readonly kind: "email" | "code";
  readonly maxUses: number | null;
  readonly uses: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

/** The person who wants to use an invite. */
export interface Invitee {
  readonly id: string;
  readonly email: string;
  readonly isEmailConfirmed: boolean;
}

export type InviteStatus = "active" | "expired" | "used_up" | "revoked";

/** Checks the most permanent reason first. */
export function inviteStatus(
  { maxUses, uses, expiresAt, revokedAt }: Omit<InviteLimits, "kind" | "email" | "userId">,
  now: number,
): InviteStatus {
  if (revokedAt !== null) return "revoked";
  if (maxUses !== null && uses >= maxUses) return "used_up";
  return expiresAt <= now ? "expired" : "active";
}

const REFUSALS = {
  revoked: { code: "invite_revoked", message: "this invite was revoked; ask for another" },
  used_up: { code: "invite_used_up", message: "this invite was used as often as it may be; ask for another" },
  expired: { code: "invite_expired", message: "this invite has expired; ask for another" },
} as const;

export function refuseStatus(status: Exclude<InviteStatus, "active">): ApiError {
  const { code, message } = REFUSALS[status];
  return fieldError(code, "body.inviteCode", message);
}

export function refuseLink(): ApiError {
  const problem = "the team has switched its join link off (inviteCodeEnabled); ask for an invitation";
  return fieldError("invite_revoked", "body.inviteCode", problem);
}

/**
 * Who was shown a code last: an account with its present role in the code's team, or a key for which nobody is responsible; no role if it
 * is suspended or deleted.
 */
export interface Issuer {
  readonly isAdmin: boolean;
  readonly role: TeamRole | null;
}

const MAY_INVITE = permissionBit("invite:manage");

/**
 * Whether the account or key that answers for an invite may still invite. If it may not, the invite is refused, also that of one person:
 * a removed member could come back with another account.
 */
export function mayStillInvite({ isAdmin, role }: Issuer): boolean {
  return isAdmin || (role !== null && (ROLE_MASK[role] & MAY_INVITE) !== 0);
}

/** Whether an invitation that nobody has accepted or withdrawn still lets its person join. */
export function isOpen(
  { invite, issuer }: { readonly invite: Pick<InviteLimits, "expiresAt">; readonly issuer: Issuer },
  now: number,
): boolean {
  return invite.expiresAt > now && mayStillInvite(issuer);
}

/** Why this person may not use an invite; null: it is theirs, or for anybody. */
function findMismatch({ kind, email, userId }: InviteLimits, person: Invitee): string | null {
  if (userId === person.id || (kind === "code" && email === null)) return null;
  if (email === null || !isSameEmail(email, person.email)) return "this invite is for another e-mail address";
  // The link of an invitation makes an account anyway. A code that is passed on is for anyone who has the address.
  if (kind === "code" && !person.isEmailConfirmed) return "this invite is for your address once it is confirmed";
  return null;
}

/** Refuses an invite that no longer works, or that is for somebody else. */
export function requireUsable(invite: InviteLimits, person: Invitee, now: number): void {
  const status = inviteStatus(invite, now);
  if (status !== "active") throw refuseStatus(status);
  const mismatch = findMismatch(invite, person);
  if (mismatch !== null) throw fieldError("invite_wrong_email", "body.inviteCode", mismatch);
}

interface Expiring {
  readonly now: number;
  readonly body: { readonly expiresAt?: number } | undefined;
}

/** When a new invite ends. */
export function expiryOf({ body, now }: Expiring): number {
  const requestedAt = body?.expiresAt;
  if (requestedAt === undefined) return now + LIFETIME_MS;
  if (requestedAt <= now || requestedAt > now + MAX_LIFETIME_MS) {
    refuseSeconds("invalid_expiry", "body.expiresAt", requestedAt);
    const expected = `expected a time from now to a year from now, in ${EPOCH_MS["x-unit"]}`;
    throw fieldError("invalid_expiry", "body.expiresAt", expected);
  }
  return requestedAt;
}
