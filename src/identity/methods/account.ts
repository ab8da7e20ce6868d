// The account of a sign-in as the actor of its events: it is read inside the transaction, under its lock.
import type { Origin } from "../../platform/kernel/caller.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { lockOwner } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { findCallerById } from "../accounts/acting.ts";

/** An act of the account itself. Refuses an account that was deleted or suspended meanwhile. */
export async function actAs(tx: Tx, userId: string, origin: Origin, now: number): Promise<EventContext> {
  await lockOwner(tx, userId);
  const found = await findCallerById(tx, userId);
  if (!found || found.isSuspended) throw new ApiError("sign_in_failed", "This account can't sign in");
  return { caller: found.caller, origin, now };
}
