// Keys that derive from the active master key: the same on every server of a store, and never stored.
import type { Keyring } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { explainMissing } from "./seal.ts";
import { findActiveKey } from "./store.ts";

/** Derives 32 bytes for each context. Another active master key derives others. */
export async function activeKeyDerivation(tx: Tx, keyring: Keyring): Promise<(context: string) => Buffer> {
  const active = await findActiveKey(tx, {});
  if (!active) throw new Error("no master key is active");
  return (context) => explainMissing(() => keyring.derive(active.keyId, context));
}
