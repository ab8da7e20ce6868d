// The change of the active master key: one row, so that every server seals under the new one from the same moment on.
import { INSTANCE_ID } from "../../kernel/caller.ts";
import type { WriteTx } from "../../store/database.ts";
import { emit, lockChain } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { activeKeyId } from "./active-key.ts";
import { lockActiveKey, upsertActiveKey } from "./store.ts";

/**
 * Seals new values under another master key; values that are sealed already keep theirs. Answers the key that was
 * active until now, or null when nothing changed.
 */
export async function activateKey(tx: WriteTx, act: Act, keyId: string): Promise<string | null> {
  await lockChain(tx, INSTANCE_ID);
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
