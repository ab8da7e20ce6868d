// One-time codes that travel by mail. Mail is sent at least once, some time after it was queued, and neither its queue nor the store
// may know a code: each attempt at the mail replaces the code, so the newest message has the one that works.
import { createSecretCode } from "../../../platform/kernel/credential.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import type { FreshCode } from "../../../events/mails/outbox.ts";
import { queueMail } from "../../../events/mails/queue.ts";
import type { MailPayloads } from "../../../events/mails/queue.ts";
import { replaceMailedCode } from "./code-store.ts";
import { addCode } from "./one-time-codes.ts";
import type { CodePurpose, OneTimeCode } from "./one-time-codes.ts";

/** The kinds of mail that carry a one-time code, and the purposes of their codes. */
interface MailedPurposes {
  readonly recovery: "recovery";
  readonly "email-change": "email-old" | "email-new";
  readonly "sign-up": "sign-up";
}

export interface CodeMail<K extends keyof MailedPurposes> {
  readonly kind: K;
  readonly recipient: string;
  readonly payload: MailPayloads[K];
  readonly code: OneTimeCode & { readonly purpose: MailedPurposes[K] & CodePurpose };
}

/** Queues a mail with a link, and stores its code. Does neither where `queueMail` sends none, and returns false then. */
export async function mailCode<K extends keyof MailedPurposes>(
  tx: Tx,
  call: Parameters<typeof queueMail>[1],
  { code, ...mail }: CodeMail<K>,
): Promise<boolean> {
  const mailId = await queueMail(tx, call, mail);
  if (mailId === null) return false;
  // Nobody is told this value: the first attempt at the mail replaces it.
  await addCode(tx, code, mailId);
  return true;
}

/** Makes the code for an attempt at a mail; undefined when the code has expired, was used or was withdrawn. */
export async function renewMailedCode(
  tx: Tx,
  { mailId, now }: { readonly mailId: string; readonly now: number },
): Promise<FreshCode | undefined> {
  const { value, hash } = createSecretCode();
  const replaced = await replaceMailedCode(tx, { mailId, hash, now });
  return replaced && { code: value, expiresAt: replaced.expiresAt };
}
