// What a browser's cookie stands for between two requests of a sign-in with a provider: the way there and back, and afterwards an
// identity that waits for its owner to sign in and link it.
import type { Origin } from "../../../platform/kernel/caller.ts";
import { ApiError } from "../../../platform/kernel/errors.ts";
import { MINUTE_MS } from "../../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { actAs } from "../account.ts";
import { addIdentity } from "./identities.ts";
import type { NewIdentity } from "./identities.ts";
import { addCode, peekCode, takeCode } from "../codes/one-time-codes.ts";

/** Long enough for a second factor at the provider, or for finding a password here. */
export const STEP_MS = 15 * MINUTE_MS;

/** Internal change: stores the way to a provider, and returns the code by which it is found again. */
export async function beginProviderStep(
  tx: Tx,
  { userId, step }: { readonly userId: string | null; readonly step: unknown },
  now: number,
): Promise<string> {
  return await addCode(tx, { purpose: "provider", userId, data: step, expiresAt: now + STEP_MS });
}

/** Internal change: the way that a code stands for, once. */
export async function takeProviderStep(
  tx: Tx,
  { code }: { readonly code: string },
  now: number,
): Promise<{ readonly userId: string | null; readonly step: unknown } | null> {
  const found = await takeCode(tx, ["provider"], code, now);
  return found ? { userId: found.userId, step: found.data } : null;
}

/** Internal change: keeps an identity until its owner has signed in. */
export async function keepIdentity(
  tx: Tx,
  { identity }: { readonly identity: NewIdentity },
  now: number,
): Promise<string> {
  return await addCode(tx, { purpose: "provider-link", userId: null, data: identity, expiresAt: now + STEP_MS });
}

/** The identity that waits under a code. */
export async function findKeptIdentity(reader: Tx, code: string, now: number): Promise<NewIdentity | undefined> {
  return (await peekCode(reader, ["provider-link"], code, now))?.data as NewIdentity | undefined;
}

/** Internal change: links the identity that waits under a code to the account that has signed in meanwhile. */
export async function linkKeptIdentity(
  tx: Tx,
  { code, userId, origin }: { readonly code: string; readonly userId: string; readonly origin: Origin },
  now: number,
): Promise<void> {
  const act = await actAs(tx, userId, origin, now);
  const found = await takeCode(tx, ["provider-link"], code, now);
  if (!found) throw new ApiError("link_unknown", "This took too long: sign in with the provider again");
  await addIdentity(tx, act, userId, found.data as NewIdentity);
}
