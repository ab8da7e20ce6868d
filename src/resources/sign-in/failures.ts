// Counts failed sign-ins in the store, so that a restart and further servers count on. Accounts that do not exist are counted like
// those that do: their pauses tell a stranger nothing.
import { hashCredential } from "../../kernel/credential.ts";
import { subscriberOf } from "../../kernel/network/network.ts";
import type { Tx } from "../../kernel/tx.ts";
import { FORGOTTEN_AFTER_MS, pauseAfter } from "./failure-rules.ts";
import { deleteFailures, deleteOldFailures, findFailures, upsertFailure } from "./failure-store.ts";

export interface Attempt {
  /** The username or address that was typed. */
  readonly login: string;
  readonly ip: string;
  /** Of a browser that the account has signed in on. */
  readonly knownDeviceHash: string | null;
}

/** What a failure of this attempt would be counted for. */
export function failureSubjects({ login, ip, knownDeviceHash }: Attempt): string[] {
  // A hash: people type passwords into the wrong field.
  const account = `account:${hashCredential(login.toLowerCase())}`;
  return [knownDeviceHash === null ? account : `device:${knownDeviceHash}`, `address:${subscriberOf(ip)}`];
}

/** How long the subjects are still paused, ms; 0: they are not. */
export async function findPause(reader: Tx, subjects: readonly string[], now: number): Promise<number> {
  const rows = await findFailures(reader, { subjects: JSON.stringify(subjects) });
  return Math.max(0, ...rows.map(({ pausedUntil }) => pausedUntil - now));
}

export async function recordFailure(tx: Tx, subjects: readonly string[], now: number): Promise<void> {
  const rows = await findFailures(tx, { subjects: JSON.stringify(subjects) });
  for (const subject of subjects) {
    const earlier = rows.find((row) => row.subject === subject);
    const isRemembered = earlier !== undefined && now - earlier.failedAt < FORGOTTEN_AFTER_MS;
    const failures = (isRemembered ? earlier.failures : 0) + 1;
    await upsertFailure(tx, { subject, failures, pausedUntil: now + pauseAfter(subject, failures), now });
  }
}

/** Forgets the failures after a success. Those of an address stay: a guesser may have an account too. */
export async function clearFailures(tx: Tx, subjects: readonly string[]): Promise<void> {
  const cleared = subjects.filter((subject) => !subject.startsWith("address:"));
  await deleteFailures(tx, { subjects: JSON.stringify(cleared) });
}

const STEP = 500;

/** Internal command: deletes forgotten failures. Returns their number. */
export async function pruneFailures(tx: Tx, now: number): Promise<number> {
  return await deleteOldFailures(tx, { before: now - FORGOTTEN_AFTER_MS, limit: STEP });
}
