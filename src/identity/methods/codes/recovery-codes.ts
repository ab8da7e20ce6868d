// Recovery codes: each signs in once, for people who have lost everything else. 80 random bits each, so that a fast hash suffices.
import { hashCredential } from "../../../platform/kernel/credential.ts";
import { randomText } from "../../../platform/kernel/ids.ts";
import type { Origin } from "../../../platform/kernel/caller.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../../events/events/emit.ts";
import type { EventContext } from "../../../events/events/emit.ts";
import { openSession } from "../../sessions/open.ts";
import { actAs } from "../account.ts";
import { rememberDevice } from "../devices.ts";
import { clearFailures, recordSignInFailure } from "../failures/failures.ts";
import { countRecoveryCodes, deleteRecoveryCode, deleteRecoveryCodes, insertRecoveryCode } from "../store.ts";

const COUNT = 10;
/** Without characters that people mistake for each other. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const LENGTH = 16;

/** What people type: in any case, with dashes and spaces or without. */
export function normaliseRecoveryCode(text: string): string {
  return text.toLowerCase().replace(/[\s-]/g, "");
}

export async function countCodes(tx: Tx, userId: string): Promise<number> {
  return (await countRecoveryCodes(tx, { userId }))?.count ?? 0;
}

/** Replaces the codes of an account, and returns the new ones as people read them. */
export async function createCodes(tx: Tx, act: EventContext, userId: string): Promise<string[]> {
  await deleteRecoveryCodes(tx, { userId });
  const codes = Array.from({ length: COUNT }, () => randomText(LENGTH, ALPHABET));
  for (const code of codes) await insertRecoveryCode(tx, { userId, hash: hashCredential(code) });
  await emit(tx, act, {
    type: "recovery-codes-created",
    ownerId: userId,
    entityId: userId,
    text: "made new recovery codes",
    payload: { uid: userId, count: COUNT },
  });
  return codes.map((code) => (code.match(/.{4}/g) as string[]).join("-"));
}

/** Uses a code under the account's lock; false: the account has no such code. */
async function takeRecoveryCode(tx: Tx, userId: string, code: string): Promise<boolean> {
  await lockOwner(tx, userId);
  const hash = hashCredential(normaliseRecoveryCode(code));
  return (await deleteRecoveryCode(tx, { userId, hash })) > 0;
}

export interface RecoveryCodeUse {
  /** Null: there is no such account. */
  readonly userId: string | null;
  readonly code: string;
  readonly sessionHash: string;
  readonly deviceHash: string;
  readonly subjects: readonly string[];
  readonly origin: Origin;
}

/**
 * Internal change: signs in with a recovery code. False: there is no such account, or the code is not one of its own or was used.
 * That is counted in the same transaction, so that an account that does not exist takes as many.
 */
export async function signInWithRecoveryCode(tx: Tx, use: RecoveryCodeUse, now: number): Promise<boolean> {
  const { userId, code, sessionHash, deviceHash, subjects, origin } = use;
  if (userId === null || !(await takeRecoveryCode(tx, userId, code))) {
    const failed = userId === null ? null : { userId, method: "recovery-code" as const };
    await recordSignInFailure(tx, { failed, subjects, origin }, now);
    return false;
  }
  const act = await actAs(tx, userId, origin, now);
  await openSession(tx, act, { userId, hash: sessionHash, method: "recovery-code" });
  await rememberDevice(tx, userId, deviceHash, now);
  await clearFailures(tx, subjects);
  return true;
}
