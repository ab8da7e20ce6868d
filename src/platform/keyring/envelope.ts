// Envelope encryption: each value under a data key of its own, each data key under a master key, both with AES-256-GCM
// (NIST SP 800-38D) and both bound to their context. The stored form is nonce, ciphertext and tag, one after the other.
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { UnreadableError } from "../kernel/keyring.ts";
import { nextBytes } from "../kernel/random.ts";

const CIPHER = "aes-256-gcm";
export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A master key is prepared once, as a KeyObject; for a data key, which serves one cipher, that would cost more than it saves. */
type Key = KeyObject | Uint8Array;

/** Returns the stored form. */
export function encrypt(key: Key, nonce: Uint8Array, plaintext: Uint8Array, boundTo: string): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(Buffer.from(boundTo));
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Returns the plaintext, which the caller wipes; throws an UnreadableError. */
export function decrypt(key: Key, stored: Uint8Array, boundTo: string): Buffer {
  // SQLite columns accept values of any type, also a text.
  if (!(stored instanceof Uint8Array)) throw new UnreadableError("the sealed value is not made of bytes");
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new UnreadableError("the sealed value was cut short");
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  // GCM decrypts as it goes: until `final` has checked the tag, the output must not be trusted.
  const plaintext = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    decipher.final();
  } catch (error) {
    plaintext.fill(0);
    throw new UnreadableError("the sealed value does not open", { cause: error });
  }
  return plaintext;
}

/** Values and data keys have different contexts, so that a data key never opens as a value. */
const valueOf = (context: string) => `value|${context}`;
const keyOf = (context: string) => `key|${context}`;

/** Seals a value under a new data key, and the data key under the master key. */
export function sealEnvelope(masterKey: KeyObject, plaintext: Uint8Array, context: string) {
  const random = nextBytes(KEY_BYTES + 2 * NONCE_BYTES);
  const dataKey = random.subarray(0, KEY_BYTES);
  try {
    const nonce = random.subarray(KEY_BYTES, KEY_BYTES + NONCE_BYTES);
    const ciphertext = encrypt(dataKey, nonce, plaintext, valueOf(context));
    const wrappedKey = encrypt(masterKey, random.subarray(KEY_BYTES + NONCE_BYTES), dataKey, keyOf(context));
    return { ciphertext, wrappedKey };
  } finally {
    dataKey.fill(0);
  }
}

/** Throws UnreadableError when the value, its data key or its context is not what was sealed. */
export function openEnvelope(
  masterKey: KeyObject,
  sealed: { readonly ciphertext: Uint8Array; readonly wrappedKey: Uint8Array },
  context: string,
): Buffer {
  const dataKey = decrypt(masterKey, sealed.wrappedKey, keyOf(context));
  try {
    return decrypt(dataKey, sealed.ciphertext, valueOf(context));
  } finally {
    dataKey.fill(0);
  }
}

/** Keys that derive are as independent of each other, and of data keys, as random ones. HKDF, RFC 5869 */
export function deriveKey(masterKey: KeyObject, context: string): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "", `derived|${context}`, KEY_BYTES));
}

/** Wraps a data key under another master key. */
export function rewrapKey(from: KeyObject, to: KeyObject, wrappedKey: Uint8Array, context: string): Buffer {
  const dataKey = decrypt(from, wrappedKey, keyOf(context));
  try {
    return encrypt(to, nextBytes(NONCE_BYTES), dataKey, keyOf(context));
  } finally {
    dataKey.fill(0);
  }
}
