// One-time codes: of links that sign in, of steps between two requests of one person. Only their hash is stored, and using a
// code deletes its row, so that of two uses one finds nothing.
import { createSecretCode, hashCredential } from "../../../platform/kernel/credential.ts";
import { parseStored } from "../../../platform/kernel/text/stored-json.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import {
  deleteAllCodesOf,
  deleteApprovalsOf,
  deleteCode,
  deleteCodesOf,
  deleteExpiredCodes,
  findCode,
  insertCode,
} from "./code-store.ts";

/**
 * - `set-up`: the first sign-in to an account that has no method yet;
 * - `sign-in`: a link of the server's command line;
 * - `recovery`: a link that the account's owner asked for by mail;
 * - `provider`: a sign-in on its way to a provider and back;
 * - `provider-link`: an identity that waits for its owner to sign in with what they had;
 * - `passkey-new`, `passkey-proof`: a challenge that an authenticator is to sign;
 * - `email-old`, `email-new`: confirmation of a change of address, at each of the two;
 * - `sign-up`: confirmation of an address before there is an account.
 */
export type CodePurpose =
  | "set-up"
  | "sign-in"
  | "recovery"
  | "provider"
  | "provider-link"
  | "passkey-new"
  | "passkey-proof"
  | "email-old"
  | "email-new"
  | "sign-up";

export interface OneTimeCode {
  readonly purpose: CodePurpose;
  /** The account that it is for; null where there is none yet. */
  readonly userId: string | null;
  readonly data: unknown;
  /** ms */
  readonly expiresAt: number;
}

/** Stores a new code and returns its value, which is stored nowhere. `mailId` is the mail that carries it. */
export async function addCode(
  tx: Tx,
  { purpose, userId, data, expiresAt }: OneTimeCode,
  mailId: string | null = null,
): Promise<string> {
  const { value, hash } = createSecretCode();
  await insertCode(tx, { hash, purpose, userId, data: JSON.stringify(data), mailId, expiresAt });
  return value;
}

/** Looks a code up without using it. */
export async function peekCode(
  tx: Tx,
  purposes: readonly CodePurpose[],
  code: string,
  now: number,
): Promise<OneTimeCode | undefined> {
  const row = await findCode(tx, { hash: hashCredential(code), now });
  if (!row || !purposes.some((purpose) => purpose === row.purpose)) return undefined;
  const { userId, data, expiresAt } = row;
  return { purpose: row.purpose as CodePurpose, userId, data: parseStored(data), expiresAt };
}

/** Uses a code; undefined when it is unknown, expired or used. */
export async function takeCode(
  tx: Tx,
  purposes: readonly CodePurpose[],
  code: string,
  now: number,
): Promise<OneTimeCode | undefined> {
  const found = await peekCode(tx, purposes, code, now);
  if (!found || (await deleteCode(tx, { hash: hashCredential(code) })) === 0) return undefined;
  return found;
}

/** Deletes the unused codes of an account for one purpose, so that only a newer one works. */
export async function withdrawCodes(tx: Tx, userId: string, purpose: CodePurpose): Promise<void> {
  await deleteCodesOf(tx, { userId, purpose });
}

/**
 * Deletes every unused code of an account: links that sign in, pending changes of its address, steps that were begun, and approvals of
 * programs that have no token yet. Somebody else may have asked for them, or read the mail.
 */
export async function withdrawAllCodes(tx: Tx, userId: string): Promise<void> {
  await deleteAllCodesOf(tx, { userId });
  await deleteApprovalsOf(tx, { userId });
}

const STEP = 500;

/** Internal change: deletes expired codes. Returns their number. */
export async function pruneCodes(tx: Tx, _input: null, now: number): Promise<number> {
  return await deleteExpiredCodes(tx, { now, limit: STEP });
}
