// Credentials on the wire: `rvt_` (access token) or `rvk_` (API key), 40 random base62 characters and a base62
// CRC-32 of what stands before it. Only letters, digits and `_`: one public CLI accepts no others.
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { BASE62, digitsOf, randomBase62 } from "./ids.ts";

export type CredentialKind = "token" | "key";

const PREFIX = { token: "rvt_", key: "rvk_" } as const;
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;

function checksum(text: string): string {
  return digitsOf(crc32(text), CHECKSUM_LENGTH, BASE62);
}

export interface NewCredential {
  /** The whole secret, shown once and never stored. */
  readonly value: string;
  readonly hash: string;
  readonly prefix: string;
  /** Last four characters, so that people can tell credentials apart. */
  readonly suffix: string;
}

/** Describes a secret that was chosen elsewhere (the bootstrap token) or by `createCredential`. */
export function describeCredential(value: string): NewCredential {
  return { value, hash: hashCredential(value), prefix: value.slice(0, 4), suffix: value.slice(-4) };
}

export function createCredential(kind: CredentialKind): NewCredential {
  const body = PREFIX[kind] + randomBase62(RANDOM_LENGTH);
  return describeCredential(body + checksum(body));
}

/** SHA-256 in hex. The random part has 238 bits, so no slow hash is needed. */
export function hashCredential(value: string): string {
  return hash("sha256", value, "hex");
}

/**
 * Which table a credential is looked up in. A bootstrap token may look like anything, so only what certainly is an
 * API key is taken for one.
 */
export function credentialKind(value: string): CredentialKind {
  const body = value.slice(0, -CHECKSUM_LENGTH);
  const isKey = body.startsWith(PREFIX.key) && checksum(body) === value.slice(-CHECKSUM_LENGTH);
  return isKey ? "key" : "token";
}
