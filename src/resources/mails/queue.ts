// Asking for a message in the mutation's transaction: it is sent if and only if the change is committed. Nothing is
// queued on an instance without mail. A message holds no code; whoever sends an invitation renews its code for it.
import { newId } from "../../kernel/ids.ts";
import type { Call } from "../../kernel/contract.ts";
import type { Tx } from "../../kernel/tx.ts";
import { insertMail } from "./store.ts";

interface TeamMail {
  readonly teamId: string;
  readonly teamSlug: string;
  readonly teamName: string;
}

/** What each kind of message is about. */
export interface MailPayloads {
  /** To who is invited. `inviteId` is null when an account was invited: it accepts by the team's id, without a code. */
  readonly invite: TeamMail & {
    readonly inviteId: string | null;
    readonly role: string;
    readonly inviterName: string | null;
  };
  /** To the team's owners: somebody asks to join. */
  readonly "access-request": TeamMail & {
    readonly userId: string;
    readonly username: string;
  };
  /** To who asked: the request was confirmed. */
  readonly "access-request-confirmed": TeamMail & { readonly role: string };
  /** To the owner of a webhook, or the owners of its team: it was switched off. */
  readonly "webhook-disabled": {
    /** Null: an account's. */
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
