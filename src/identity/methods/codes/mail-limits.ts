// Mail that people ask for who are not signed in: how much of it one client, one recipient and the whole instance may cause in a day.
// Nobody's recovery has a limit that strangers could use up: the link that was sent last works for as long as none is sent.
import type { Instance } from "../../../platform/kernel/contract.ts";
import { hashCredential } from "../../../platform/kernel/credential.ts";
import { ApiError, fieldError } from "../../../platform/kernel/errors.ts";
import { subscriberOf } from "../../../platform/kernel/network/network.ts";
import { emailKey } from "../../../platform/kernel/text/email-address.ts";
import { formatUtc } from "../../../platform/kernel/text/time-text.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { countOne, nextDayOf } from "../../../events/mails/quota.ts";

/** What has a limit per recipient. */
export type AskedMail = "sign-up" | "email-change";

/** Mails a day that clients of one address may ask for. Many people share an address. */
const PER_CLIENT = 100;
/** Mails a day that all clients may ask for together, to addresses that have no account. */
const PER_INSTANCE = 2_000;
/** Mails of one kind a day to one recipient. */
const PER_RECIPIENT = 5;

/** `what` was too many, of mails that `field` asks for, if one does. */
export function tooManyMails(what: string, now: number, field: string | null = null): ApiError {
  const resetsAt = nextDayOf(now);
  const message = `${what}: try again after ${formatUtc(resetsAt)}`;
  const details = {
    resetsAt,
    retryAfter: Math.ceil((resetsAt - now) / 1_000),
  };
  return field === null
    ? new ApiError("too_many_mails", message, details)
    : fieldError("too_many_mails", field, message, details);
}

/** Refuses what needs mail where the instance sends none. */
export function requireMail({ hasMail }: Pick<Instance, "hasMail">, advice: string): void {
  if (hasMail) return;
  throw new ApiError("mail_off", `This server sends no mail (REEVE_SMTP_URL): ${advice}`);
}

/** Internal change: counts a request for the address that it comes from, and one for a sign-up for the instance. */
export async function countAsking(
  tx: Tx,
  { ip, kind }: { readonly ip: string; readonly kind: "recovery" | "sign-up" },
  now: number,
): Promise<void> {
  if (!(await countOne(tx, { subject: `client:${subscriberOf(ip)}`, limit: PER_CLIENT, now })))
    throw tooManyMails("Too many mails were asked for from your network", now);
  if (kind === "sign-up" && !(await countOne(tx, { subject: "asked", limit: PER_INSTANCE, now })))
    throw tooManyMails("Too many mails were asked for from this server", now);
}

/** Counts a mail to a recipient; false: they get no more of this kind today. */
export async function countRecipient(tx: Tx, kind: AskedMail, recipient: string, now: number): Promise<boolean> {
  const subject = `${kind}:${hashCredential(emailKey(recipient))}`;
  return await countOne(tx, { subject, limit: PER_RECIPIENT, now });
}
