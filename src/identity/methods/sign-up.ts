// Making an account for oneself: a link confirms the address first, and the account is made where the link leads. Who asks learns
// nothing about the address; who reads its mail learns whether it has an account.
import type { Instance } from "../../platform/kernel/contract.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { emailKey } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { queueMail } from "../../events/mails/queue.ts";
import { findEmailHolder } from "../accounts/email.ts";
import { countRecipient } from "./codes/mail-limits.ts";
import { unknownLink } from "./codes/links.ts";
import { mailCode } from "./codes/mailed-codes.ts";
import { openAccount } from "./new-account.ts";
import type { NewOwner } from "./new-account.ts";
import { peekCode, takeCode } from "./codes/one-time-codes.ts";
import type { OneTimeCode } from "./codes/one-time-codes.ts";

const LIFETIME_MS = DAY_MS;

export interface SignUpRequest {
  readonly email: string;
  readonly instance: Pick<Instance, "hasMail">;
}

/** Internal change: queues a mail with a link, or, to an address that has an account, one that says so. */
export async function queueSignUp(tx: Tx, { email, instance }: SignUpRequest, now: number): Promise<void> {
  if (!(await countRecipient(tx, "sign-up", email, now))) return;
  const call = { instance, now };
  if ((await findEmailHolder(tx, email))?.isConfirmed) {
    await queueMail(tx, call, { kind: "account-exists", recipient: email, payload: { teamId: null } });
    return;
  }
  await mailCode(tx, call, {
    kind: "sign-up",
    recipient: email,
    payload: { teamId: null },
    code: { purpose: "sign-up", userId: null, data: { email }, expiresAt: now + LIFETIME_MS },
  });
}

function addressOf({ data }: OneTimeCode): string {
  return emailKey((data as { readonly email: string }).email);
}

/** The address that a link has confirmed; undefined for a link that no longer works. */
export async function previewSignUp(reader: Tx, code: string, now: number): Promise<string | undefined> {
  const found = await peekCode(reader, ["sign-up"], code, now);
  return found && addressOf(found);
}

/** Internal change: makes the account of a link. */
export async function signUp(
  tx: Tx,
  { code, ...owner }: NewOwner & { readonly code: string },
  now: number,
): Promise<{ readonly userId: string }> {
  const found = await takeCode(tx, ["sign-up"], code, now);
  if (!found) throw unknownLink();
  const source = { email: addressOf(found), emailSource: "proven" as const, how: "by signing up" };
  const { userId } = await openAccount(tx, owner, source, now);
  return { userId };
}
