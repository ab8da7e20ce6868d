// What a verb sees of the master keys: it can have a value sealed and opened, and never sees a key.

/** A value under a data key of its own, and that data key under a master key. */
export interface Sealed {
  readonly ciphertext: Uint8Array;
  readonly wrappedKey: Uint8Array;
  /** Id of the master key. */
  readonly keyId: string;
}

export type WrappedKey = Pick<Sealed, "wrappedKey" | "keyId">;

/**
 * The master keys that this process has. `context` says where a sealed value belongs, down to the row and its version:
 * what was sealed for one place does not open in another.
 */
export interface Keyring {
  /** Ids of the keys, the one to prefer first. */
  keyIds(): readonly string[];
  /** Throws MissingKeyError when it has no such key. The plaintext stays the caller's, to be wiped. */
  seal(plaintext: Uint8Array, context: string, keyId: string): Sealed;
  /** The plaintext, for the caller to wipe. Throws MissingKeyError, and UnreadableError for what was tampered with. */
  unseal(sealed: Sealed, context: string): Buffer;
  /** The same data key under another master key; the value itself is not opened. Throws like `unseal`. */
  rewrap(wrapped: WrappedKey, context: string, keyId: string): WrappedKey;
}

/** The keyring lacks a master key that is asked for. */
export class MissingKeyError extends Error {
  override readonly name = "MissingKeyError";
  readonly keyId: string;

  constructor(keyId: string) {
    super(`the keyring has no master key ${keyId}`);
    this.keyId = keyId;
  }
}

/** A sealed value does not open where it lies: it, its data key or its place was changed. */
export class UnreadableError extends Error {
  override readonly name = "UnreadableError";
}
