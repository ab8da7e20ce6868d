// The message that invites somebody.
import { teamOf } from "../../platform/kernel/caller.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { requireMailQuota } from "../../events/mails/quota.ts";
import { queueMail } from "../../events/mails/queue.ts";

interface Invitation {
  readonly recipient: string;
  /** Null for an account, which needs no code. */
  readonly inviteId: string | null;
  readonly role: TeamRole;
  /** ms */
  readonly expiresAt: number;
}

export async function queueInvitation(
  tx: Tx,
  call: Pick<Call, "caller" | "scope" | "instance" | "now">,
  invitation: Invitation,
): Promise<void> {
  const team = teamOf(call);
  const { account, keyName } = call.caller;
  const { recipient, inviteId, role, expiresAt } = invitation;
  await requireMailQuota(tx, call, team.id);
  await queueMail(tx, call, {
    kind: "invite",
    recipient,
    payload: {
      teamId: team.id,
      teamSlug: team.slug,
      teamName: team.name ?? team.slug,
      inviteId,
      role,
      inviterName: account ? (account.name ?? account.username) : keyName,
      expiresAt,
    },
  });
}
