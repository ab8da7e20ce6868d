// Queues mail in the mutation's transaction, so it is sent if and only if the change is committed. An instance without mail queues
// nothing. A queued mail contains no code; the mailer makes a new one for each attempt at a mail that carries one.
import { newId } from "../../platform/kernel/ids.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { canonicalEmail } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { insertMail } from "./store.ts";

interface TeamMail {
  readonly teamId: string;
  readonly teamSlug: string;
  readonly teamName: string;
}

interface AccountMail {
  readonly teamId: null;
  readonly username: string;
}

/** The payload of each kind of mail. */
export interface MailPayloads {
  /** To the invited address. `inviteId` is null for an invited account, which accepts by the team's id and without a code. */
  readonly invite: TeamMail & {
    readonly inviteId: string | null;
    readonly role: string;
    readonly inviterName: string | null;
    /** ms; absent in mail that an older version queued. */
    readonly expiresAt?: number;
  };
  /** To the team's owners: a user asks to join. */
  readonly "access-request": TeamMail & {
    readonly userId: string;
    readonly username: string;
  };
  /** To the user who asked: the request was confirmed. */
  readonly "access-request-confirmed": TeamMail & { readonly role: string };
  /** To the account that owns a webhook, or the owners of its team: the webhook was disabled. */
  readonly "webhook-disabled": {
    /** Null for a webhook of an account. */
    readonly teamId: string | null;
    readonly webhookId: string;
    readonly reason: "gone" | "failing";
    readonly failingSince: number | null;
  };
  /** To the account's address: somebody asked for a link that signs in. */
  readonly recovery: AccountMail;
  /** To the account's old address, and to its new one: somebody asked to change it. */
  readonly "email-change": AccountMail & { readonly address: "old" | "new" };
  /** To an address that somebody wants an account with, and that has one. */
  readonly "account-exists": { readonly teamId: null };
  /** To an address that somebody wants an account with. */
  readonly "sign-up": { readonly teamId: null };
}
export type MailKind = keyof MailPayloads;

/** Returns the mail's id; null where the instance sends none, and for an address of an older version that is none. */
export async function queueMail<K extends MailKind>(
  tx: Tx,
  call: { readonly instance: Pick<Call["instance"], "hasMail">; readonly now: number },
  mail: { readonly kind: K; readonly recipient: string; readonly payload: MailPayloads[K] },
): Promise<string | null> {
  const recipient = canonicalEmail(mail.recipient);
  if (!call.instance.hasMail || recipient === undefined) return null;
  const id = newId("mail");
  await insertMail(tx, {
    id,
    kind: mail.kind,
    recipient,
    payload: JSON.stringify(mail.payload),
    now: call.now,
  });
  return id;
}
