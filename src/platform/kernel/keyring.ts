// The master keys as handlers see them: handlers can seal and unseal values, and never see a key.

/** A value encrypted with its own data key, and that data key wrapped with a master key. */
export interface Sealed {
  readonly ciphertext: Uint8Array;
  readonly wrappedKey: Uint8Array;
  /** Id of the master key. */
  readonly keyId: string;
}

export type WrappedKey = Pick<Sealed, "wrappedKey" | "keyId">;

/**
 * The master keys of this process. `context` names the row and version that a sealed value belongs to: a value that was sealed
 * for one context cannot be unsealed with another.
 */
export interface Keyring {
  /** Ids of the keys, the preferred one first. */
  keyIds(): readonly string[];
  /** Throws MissingKeyError when it has no such key. The caller keeps the plaintext and must wipe it. */
  seal(plaintext: Uint8Array, context: string, keyId: string): Sealed;
  /** The plaintext, which the caller must wipe. Throws MissingKeyError, and UnreadableError for a value that was tampered with. */
  unseal(sealed: Sealed, context: string): Buffer;
  /** A plaintext that `remember` got under this name in the last minutes, which the caller must wipe. */
  recall(name: string): Buffer | undefined;
  /** Keeps a plaintext sealed in memory for some minutes. The name says all that it depends on; the caller wipes the plaintext. */
  remember(name: string, plaintext: Buffer): void;
  /** 32 bytes that derive from the key and the context, the same each time. Throws MissingKeyError. */
  derive(keyId: string, context: string): Buffer;
  /** The same data key wrapped with another master key, without decrypting the value. Throws like `unseal`. */
  rewrap(wrapped: WrappedKey, context: string, keyId: string): WrappedKey;
}

/** The keyring does not have the master key that was requested. */
export class MissingKeyError extends Error {
  override readonly name = "MissingKeyError";
  readonly keyId: string;

  constructor(keyId: string) {
    super(`the keyring has no master key ${keyId}`);
    this.keyId = keyId;
  }
}

/** A sealed value cannot be decrypted: the value, its data key or its context was changed. */
export class UnreadableError extends Error {
  override readonly name = "UnreadableError";
}
