// Replaces the signing key, for example after a leak of its private half. Checkpoints by the former key stay valid.
import { INSTANCE_ID } from "../../kernel/caller.ts";
import type { Keyring } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit, lockChain } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { findActive, retireActive } from "./signing-key-store.ts";
import { makeSigningKey } from "./signing-key.ts";

export async function replaceSigningKey(tx: Tx, keyring: Keyring, act: Act): Promise<void> {
  await lockChain(tx, INSTANCE_ID);
  const previousKeyId = (await findActive(tx, {}))?.id ?? null;
  await retireActive(tx, { now: act.now });
  const { id: keyId } = await makeSigningKey(tx, keyring, act.now);
  await emit(tx, act, {
    type: "signing-key-replace",
    ownerId: INSTANCE_ID,
    entityId: keyId,
    text: `made ${keyId} the key that signs checkpoints`,
    payload: { keyId, previousKeyId },
    previous: { keyId: previousKeyId },
    next: { keyId },
  });
}
