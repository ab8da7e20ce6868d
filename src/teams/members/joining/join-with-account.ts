// Accepting an invitation of an address without an account: the account, its method to sign in, the membership and the session are
// one change, so that nobody is left half way.
import { fieldError } from "../../../platform/kernel/errors.ts";
import { isSameEmail, requireEmail } from "../../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { findCode, unknownCode } from "../../invites/redeem.ts";
import { inviteStatus, refuseStatus } from "../../invites/rules.ts";
import { openAccount } from "../../../identity/methods/new-account.ts";
import type { NewMember } from "../../../identity/methods/invitations.ts";
import type { NewMethod } from "../../../identity/methods/methods.ts";
import { joinByCode } from "./join.ts";

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
  return { email: requireEmail(invite.email), isMailed: invite.isMailed };
}

/** Whether a provider has verified the address. */
function hasVerified(method: NewMethod, email: string): boolean {
  return method.kind === "provider" && method.isEmailVerified && isSameEmail(method.email ?? "", email);
}

/** Internal change. Throws what the form shows: a name or an address that is taken, a code that no longer works. */
export async function joinWithAccount(
  tx: Tx,
  { code, instance, ...owner }: NewMember,
  now: number,
): Promise<{ readonly userId: string }> {
  const { email, isMailed } = await addressOf(tx, code, now);
  const isProven = isMailed || hasVerified(owner.method, email);
  const source = { email, emailSource: isProven ? "proven" : "typed", how: "from an invitation" } as const;
  const { userId, act } = await openAccount(tx, owner, source, now);
  await joinByCode(tx, { ...act, instance }, code, undefined);
  return { userId };
}
