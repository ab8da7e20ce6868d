// Queues mail in the mutation's transaction, so it is sent if and only if the change is committed. An instance without mail queues
// nothing. A queued mail contains no code; the mailer makes a new one for each attempt at an invitation.
import { newId } from "../../kernel/ids.ts";
import type { Call } from "../../kernel/contract.ts";
import type { Tx } from "../../kernel/tx.ts";
import { insertMail } from "./store.ts";

interface TeamMail {
  readonly teamId: string;
  readonly teamSlug: string;
  readonly teamName: string;
}

/** The payload of each kind of mail. */
export interface MailPayloads {
  /** To the invited address. `inviteId` is null for an invited account, which accepts by the team's id and without a code. */
  readonly invite: TeamMail & {
    readonly inviteId: string | null;
    readonly role: string;
    readonly inviterName: string | null;
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
}
export type MailKind = keyof MailPayloads;

export async function queueMail<K extends MailKind>(
  tx: Tx,
  call: { readonly instance: Pick<Call["instance"], "hasMail">; readonly now: number },
  mail: { readonly kind: K; readonly recipient: string; readonly payload: MailPayloads[K] },
): Promise<void> {
  if (!call.instance.hasMail) return;
  await insertMail(tx, {
    id: newId("mail"),
    kind: mail.kind,
    recipient: mail.recipient,
    payload: JSON.stringify(mail.payload),
    now: call.now,
  });
}
