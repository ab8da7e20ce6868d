// Disables a webhook because its receiver is gone or has failed for days. The event names Reeve as the actor, and its owners
// are informed by mail.
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../events/emit.ts";
import { hasMoreEventsThan } from "../events/feed/feed.ts";
import { queueMail } from "../mails/queue.ts";
import { systemAct } from "../events/system.ts";
import { NEVER, holdQueue } from "../queue/queue-store.ts";
import { findWebhook, updateWebhook } from "./store.ts";
import { eventPayload, webhookState } from "./view.ts";

export interface Disabling {
  readonly ownerId: string;
  readonly webhookId: string;
  /** The revision that was sent to: a change since then may have repaired the webhook. */
  readonly revision: number;
  /** `gone`: the receiver responded with 410. `failing`: every attempt has failed for days. */
  readonly reason: "gone" | "failing";
  /** The instance sends mail. */
  readonly hasMail: boolean;
}

/** A caller can have a webhook disabled again and again; at most this many of these events an hour are mailed. */
const MAX_MAILED_PER_HOUR = 10;

const WHY = {
  gone: "because its receiver responded that it is gone",
  failing: "because every delivery has failed for five days",
} as const;

/** The address of an account that owns something, or those of a team's owners; members are a later resource's. */
export type ListOwnerAddresses = (
  tx: Tx,
  owner: { readonly ownerId: string; readonly teamId: string | null },
) => Promise<readonly string[]>;

/**
 * Internal change: returns false when the webhook was changed or inactive already. Pending deliveries wait until it is active again.
 */
export function createDisableWebhook(listAddresses: ListOwnerAddresses) {
  return async (
    tx: Tx,
    { ownerId, webhookId, revision, reason, hasMail }: Disabling,
    now: number,
  ): Promise<boolean> => {
    await lockOwner(tx, ownerId);
    const before = await findWebhook(tx, { ownerId, id: webhookId });
    if (!before || before.isActive === 0 || before.revision !== revision) return false;
    const after = { ...before, isActive: 0, inactiveReason: reason, inactiveSince: now };
    await updateWebhook(tx, { ...after, ownerId, id: webhookId, now });
    await holdQueue(tx, { ownerId, webhookId, heldUntil: NEVER, idleSince: now });
    await emit(tx, systemAct(now), {
      type: "webhook-disabled",
      ownerId,
      entityId: webhookId,
      text: `disabled the webhook to ${before.url}, ${WHY[reason]}`,
      payload: { ...eventPayload(before), reason },
      previous: webhookState(before),
      next: webhookState(after),
    });
    if (
      !hasMail ||
      (await hasMoreEventsThan(tx, MAX_MAILED_PER_HOUR, { ownerId, type: "webhook-disabled" }, now - HOUR_MS))
    )
      return true;
    for (const recipient of await listAddresses(tx, { ownerId, teamId: before.teamId })) {
      await queueMail(
        tx,
        { instance: { hasMail }, now },
        {
          kind: "webhook-disabled",
          recipient,
          payload: { teamId: before.teamId, webhookId, reason, failingSince: before.failingSince },
        },
      );
    }
    return true;
  };
}
