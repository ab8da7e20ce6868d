// The text form of master keys: 32 random bytes each, as base64 or hex.
import { createSecretKey, hash } from "node:crypto";
import type { KeyObject } from "node:crypto";

const ID_LENGTH = 16;

export interface MasterKey {
  /** `mk_` and a fingerprint of the key: the same key has the same id everywhere, and the id reveals nothing of it. */
  readonly id: string;
  readonly key: KeyObject;
}

/** Unusable keys; the message says why, and never repeats them. */
export class KeyringError extends Error {
  override readonly name = "KeyringError";
}

function decodeKey(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  // 43 characters of 6 bits are 32 bytes.
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, "base64") : null;
}

/** The id of a key of these bytes. */
function fingerprint(bytes: Buffer): string {
  return `mk_${hash("sha256", Buffer.concat([Buffer.from("reeve master key id\n"), bytes]), "hex").slice(0, ID_LENGTH)}`;
}

/** Reads one key; throws a KeyringError that names `source`. */
export function parseMasterKey(text: string, source: string): MasterKey {
  const bytes = decodeKey(text);
  if (!bytes) {
    throw new KeyringError(
      `${source}: expected 32 bytes as base64 or hex (\`openssl rand -base64 32\` makes some), got ${text.length} characters`,
    );
  }
  if (bytes.every((byte) => byte === bytes[0])) {
    throw new KeyringError(`${source}: expected random bytes, got one byte 32 times`);
  }
  const masterKey = { id: fingerprint(bytes), key: createSecretKey(bytes) };
  bytes.fill(0);
  return masterKey;
}
