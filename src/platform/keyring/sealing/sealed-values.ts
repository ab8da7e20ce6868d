// The interface by which a resource with sealed values lets master keys be checked, rotated and retired. It covers all
// owners, since master keys belong to the instance.
import type { WrappedKey } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";

/** Identifies a sealed value of its kind. Values are ordered by id, then by version. */
export interface SealedValueName {
  readonly id: string;
  readonly version: number;
}

/** A sealed value without its ciphertext. */
export interface SealedValue extends SealedValueName, WrappedKey {
  readonly ownerId: string;
  /** The owner, id and version that the value was sealed for, as text. */
  readonly context: string;
}

export interface SealedValues {
  /** The name of such a value in messages. */
  readonly kind: string;
  /** The ids of the master keys that wrap at least one value. */
  listKeys(tx: Tx): Promise<readonly string[]>;
  count(tx: Tx, keyId: string): Promise<number>;
  /** The same, up to a limit. */
  countUpTo(tx: Tx, keyId: string, limit: number): Promise<number>;
  /** The next values under a master key after a name, in order. */
  listWrapped(tx: Tx, keyId: string, after: SealedValueName, limit: number): Promise<readonly SealedValue[]>;
  /** The ciphertext of a value; undefined when the value is gone. */
  findCiphertext(tx: Tx, value: SealedValueName): Promise<Uint8Array | undefined>;
  /** Replaces the wrapped data key. Returns false when the value is gone or under another master key than it was read with. */
  replaceKey(tx: Tx, value: SealedValue, wrapped: WrappedKey): Promise<boolean>;
}
