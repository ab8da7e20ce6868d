// Invite codes: 40 random characters, shown once and stored as SHA-256.
import { hash } from "node:crypto";
import { randomBase62 } from "../../kernel/ids.ts";

const CODE_LENGTH = 40;
const SUFFIX_LENGTH = 4;

export interface NewCode {
  readonly code: string;
  readonly hash: string;
  readonly suffix: string;
}

export function createCode(): NewCode {
  const code = randomBase62(CODE_LENGTH);
  return { code, hash: hashCode(code), suffix: code.slice(-SUFFIX_LENGTH) };
}

export function hashCode(code: string): string {
  return hash("sha256", code, "hex");
}

/** The masked form of a code. */
export function maskCode(suffix: string): string {
  return `****${suffix}`;
}
