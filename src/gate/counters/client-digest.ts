// Clients are named in the store by digests: no address, cookie or header of anybody can be read there.
import { hash } from "node:crypto";

/** Of 128 bits: nobody finds a second client with the digest of another. */
const LENGTH = 22;

export function clientDigest(client: string): string {
  // As UTF-16: lone surrogates would all be one character in UTF-8.
  return hash("sha256", Buffer.from(client, "utf16le"), "base64url").slice(0, LENGTH);
}
