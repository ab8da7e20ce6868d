// Credentials on the wire: `rvt_` (access token) or `rvk_` (API key), 40 random base62 characters and a base62
// CRC-32 of the characters before it. Only letters, digits and `_`, because one public CLI accepts no others.
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { BASE62, digitsOf, randomBase62 } from "./ids.ts";

/** A session is the cookie of a browser in which a person has signed in. */
export type CredentialKind = "token" | "key" | "session";

const PREFIX = { token: "rvt_", key: "rvk_" } as const;
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const SECRET_CODE_LENGTH = 43;

function checksum(text: string): string {
  return digitsOf(crc32(text), CHECKSUM_LENGTH, BASE62);
}

export interface NewCredential {
  /** The whole secret, shown once and never stored. */
  readonly value: string;
  readonly hash: string;
  readonly prefix: string;
  /** Last four characters, by which people distinguish credentials. */
  readonly suffix: string;
}

/** The stored form of a credential value, whether `createCredential` or the operator (the bootstrap token) chose it. */
export function describeCredential(value: string): NewCredential {
  return { value, hash: hashCredential(value), prefix: value.slice(0, 4), suffix: value.slice(-4) };
}

export function createCredential(kind: "token" | "key"): NewCredential {
  const body = PREFIX[kind] + randomBase62(RANDOM_LENGTH);
  return describeCredential(body + checksum(body));
}

/** 256 random bits and more, for cookies and links. */
export function createSecretCode(): { readonly value: string; readonly hash: string } {
  const value = randomBase62(SECRET_CODE_LENGTH);
  return { value, hash: hashCredential(value) };
}

/** SHA-256 in hex. The random part has 238 bits, so no slow hash is needed. */
export function hashCredential(value: string): string {
  return hash("sha256", value, "hex");
}

/**
 * The table in which a credential is looked up. A bootstrap token may have any form, so only a value with the prefix and the
 * checksum of an API key counts as one.
 */
export function credentialKind(value: string): "token" | "key" {
  const body = value.slice(0, -CHECKSUM_LENGTH);
  const isKey = body.startsWith(PREFIX.key) && checksum(body) === value.slice(-CHECKSUM_LENGTH);
  return isKey ? "key" : "token";
}
