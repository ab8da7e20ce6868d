// Counts failed sign-ins in the store, so that a restart and further servers count on. They count for the name that was typed, also where
// there is no such account, so that pauses tell a stranger nothing, and for the account.
import type { Origin } from "../../../platform/kernel/caller.ts";
import { hashCredential } from "../../../platform/kernel/credential.ts";
import { subscriberOf } from "../../../platform/kernel/network/network.ts";
import { loginKey } from "../../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../../events/events/emit.ts";
import { SYSTEM_CALLER } from "../../../events/events/system.ts";
import { FORGOTTEN_AFTER_MS, pauseAfter, pauseLeft } from "./rules.ts";
import { countFailure, deleteFailures, deleteOldFailures, findFailures, pauseSubject } from "./store.ts";

export interface Attempt {
  /** What failures count for: passwords and recovery codes apart. */
  readonly kind: "account" | "codes";
  /** The username or address that was typed. */
  readonly login: string;
  readonly ip: string;
  /** Of a browser that the account has signed in on. */
  readonly knownDeviceHash: string | null;
}

/**
 * What a failure of this attempt is counted for. On a known device that is the device alone: anyone who guesses, from the address of
 * the owner too, does not pause the owner. The first subject is the most exact one.
 */
export function failureSubjects({ kind, login, ip, knownDeviceHash }: Attempt): [string, ...string[]] {
  if (knownDeviceHash !== null) return [`device:${knownDeviceHash}`];
  // A hash: people type passwords into the wrong field.
  return [`${kind}:${hashCredential(loginKey(login))}`, addressSubject(ip)];
}

/**
 * What failures at an account are counted for, by whichever of its names it was called. Its pause is told to nobody: it would tell that
 * two names belong together.
 */
export function accountSubject(kind: Attempt["kind"], userId: string): string {
  return `${kind}:${userId}`;
}

/** What failures from an address are counted for, whatever the account. */
export function addressSubject(ip: string): string {
  return `address:${subscriberOf(ip)}`;
}

/** How long the longest pause of the subjects still takes, ms; 0: they are not paused. */
export async function findPause(reader: Tx, subjects: readonly string[], now: number): Promise<number> {
  const rows = await findFailures(reader, { subjects: JSON.stringify(subjects) });
  return Math.max(0, ...rows.map((row) => pauseLeft(row, now)));
}

/** Counts a failure for each subject, and pauses those that have had too many. The caller holds the lock of the account, if any. */
export async function recordFailure(tx: Tx, subjects: readonly string[], now: number): Promise<void> {
  for (const subject of subjects) {
    const counted = await countFailure(tx, { subject, rememberedSince: now - FORGOTTEN_AFTER_MS, now });
    const pauseMs = pauseAfter(subject, counted?.failures ?? 1);
    if (pauseMs > 0) await pauseSubject(tx, { subject, pausedUntil: now + pauseMs });
  }
}

export interface SignInFailure {
  /** The account, and what was wrong; null: there is no such account. */
  readonly failed: { readonly userId: string; readonly method: "password" | "passkey" | "recovery-code" } | null;
  readonly subjects: readonly string[];
  readonly origin: Origin;
}

/** Internal change: counts a failure, and records it in the account's chain where there is an account. */
export async function recordSignInFailure(
  tx: Tx,
  { failed, subjects, origin }: SignInFailure,
  now: number,
): Promise<void> {
  // A sign-in locks in the same order: the account, then what is counted for it.
  if (failed) await lockOwner(tx, failed.userId);
  await recordFailure(tx, subjects, now);
  if (!failed) return;
  const { userId, method } = failed;
  // The person who tried is not known to be the account's owner.
  const act = { caller: SYSTEM_CALLER, origin, now };
  await emit(tx, act, {
    type: "login-failed",
    ownerId: userId,
    entityId: userId,
    text: `refused a sign-in with a wrong ${method.replace("-", " ")}`,
    payload: { uid: userId, method },
  });
}

/** Forgets the failures after a success. Those of an address stay: a guesser may have an account too. */
export async function clearFailures(tx: Tx, subjects: readonly string[]): Promise<void> {
  const cleared = subjects.filter((subject) => !subject.startsWith("address:"));
  await deleteFailures(tx, { subjects: JSON.stringify(cleared) });
}

const STEP = 500;

/** Internal change: deletes forgotten failures. Returns their number. */
export async function pruneFailures(tx: Tx, now: number): Promise<number> {
  return await deleteOldFailures(tx, { before: now - FORGOTTEN_AFTER_MS, limit: STEP });
}
