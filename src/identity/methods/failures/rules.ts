// Pauses against guessing: some attempts are free, then each failure pauses its subject for twice as long.
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";

/**
 * What failures are counted for:
 * - `account`: attempts at an account, or at a name, from browsers that the account has never signed in on;
 * - `codes`: recovery codes that were typed in for an account, apart, so that anyone who guesses passwords stops nobody's way back;
 * - `device`: attempts from a browser that it has signed in on, so that strangers who guess pause no owner;
 * - `address`: attempts from an address at all accounts, from browsers that they have never been signed in on;
 * - `device-code`: wrong user codes that an account typed in to approve a program.
 */
export type FailureSubjectKind = "account" | "codes" | "device" | "address" | "device-code";

/** Failures without a pause. Many people share an address. */
const FREE: Readonly<Record<FailureSubjectKind, number>> = {
  account: 5,
  codes: 5,
  device: 10,
  address: 50,
  "device-code": 5,
};
const FIRST_PAUSE_MS = SECOND_MS;
const MAX_PAUSE_MS = 15 * MINUTE_MS;
/** Failures are forgotten after a day without another one. */
export const FORGOTTEN_AFTER_MS = DAY_MS;

function kindOf(subject: string): FailureSubjectKind {
  return subject.slice(0, subject.indexOf(":")) as FailureSubjectKind;
}

/** The pause after so many failures, ms. */
export function pauseAfter(subject: string, failures: number): number {
  const counted = failures - FREE[kindOf(subject)];
  return counted < 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** counted, MAX_PAUSE_MS);
}

/** How far the clocks of several servers may differ. */
const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

/** What is left of a pause at `now`, ms. One that a clock which was ahead has set does not count. */
export function pauseLeft(
  { pausedUntil, failedAt }: { readonly pausedUntil: number; readonly failedAt: number },
  now: number,
): number {
  return failedAt > now + CLOCK_TOLERANCE_MS ? 0 : Math.max(0, pausedUntil - now);
}
