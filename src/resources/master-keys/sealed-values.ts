// What a slice with sealed values shows of them to those who look after the master keys. Everything here goes through
// all owners: a master key is the instance's.
import type { WrappedKey } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";

/** Names one sealed value among its kind; the order is by id and then by version. */
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
  /** What one is called. */
  readonly kind: string;
  /** Ids of the master keys that some value needs. */
  listKeys(tx: Tx): Promise<readonly string[]>;
  count(tx: Tx, keyId: string): Promise<number>;
  /** Those under one master key that come after a name, in order. */
  listWrapped(tx: Tx, keyId: string, after: SealedValueName, limit: number): Promise<readonly SealedValue[]>;
  /** The value itself, as it is stored; undefined when it is gone. */
  findCiphertext(tx: Tx, value: SealedValueName): Promise<Uint8Array | undefined>;
  /** Replaces the wrapped data key; false when the value is gone, or no longer under the key that it was read with. */
  replaceKey(tx: Tx, value: SealedValue, wrapped: WrappedKey): Promise<boolean>;
}
