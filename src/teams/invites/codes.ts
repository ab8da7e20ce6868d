// Invite codes: 40 random characters, shown once and stored as SHA-256.
import type { Instance } from "../../platform/kernel/contract.ts";
import { hash } from "node:crypto";
import { randomBase62 } from "../../platform/kernel/ids.ts";

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

/** What the maker of an invitation passes on: its code, and the link to its page where the server's address is known. */
export function handOver({ ownUrl }: Pick<Instance, "ownUrl">, code: string) {
  return ownUrl === null ? { code } : { code, inviteUrl: `${ownUrl}/console/invitation?code=${code}` };
}
