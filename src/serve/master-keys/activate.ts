// Changes the active master key. It is one row, so all servers seal under the new key from the same commit on.
import { INSTANCE_ID } from "../../platform/kernel/caller.ts";
import type { WriteTx } from "../../platform/store/database.ts";
import { emit, lockOwner } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { activeKeyId } from "../../platform/keyring/sealing/active-key.ts";
import { lockActiveKey, upsertActiveKey } from "../../platform/keyring/sealing/store.ts";

/**
 * Makes another master key the one that seals new values; values that are already sealed keep their key. Returns the formerly
 * active key, or null when nothing changed.
 */
export async function activateKey(tx: WriteTx, act: EventContext, keyId: string): Promise<string | null> {
  await lockOwner(tx, INSTANCE_ID);
  await lockActiveKey(tx);
  const previousKeyId = await activeKeyId(tx);
  if (previousKeyId === keyId) return null;
  await upsertActiveKey(tx, { keyId, now: act.now });
  await emit(tx, act, {
    type: "master-key-activate",
    ownerId: INSTANCE_ID,
    entityId: keyId,
    text: `made ${keyId} the active master key`,
    payload: { keyId, previousKeyId },
    previous: { keyId: previousKeyId },
    next: { keyId },
  });
  return previousKeyId;
}
