// The methods by which the owner of an account signs in: adding them, and whether there is one.
import type { Origin } from "../../platform/kernel/caller.ts";
import type { Instance } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { endOtherSessions } from "../sessions/end.ts";
import { actAs } from "./account.ts";
import { withdrawAllCodes } from "./codes/one-time-codes.ts";
import { addIdentity } from "./identities/identities.ts";
import type { NewIdentity } from "./identities/identities.ts";
import { addPasskey } from "./passkeys.ts";
import type { NewPasskey } from "./passkeys.ts";
import { findAdministratorWithMethod, findAnyMethod, findMethodBesidePassword, upsertPassword } from "./store.ts";

/** A method that was made outside of the transaction. */
export type NewMethod =
  | { readonly kind: "password"; /** PHC string. */ readonly hash: string }
  | NewPasskey
  | NewIdentity;

export async function hasMethod(tx: Tx, userId: string): Promise<boolean> {
  return (await findAnyMethod(tx, { userId })) !== undefined;
}

/** Whether somebody who administers the instance can sign in to it. */
export async function canAnyAdministratorSignIn(tx: Tx): Promise<boolean> {
  return (await findAdministratorWithMethod(tx, {})) !== undefined;
}

type Settings = Pick<Instance, "hasPasswords">;

/** Refuses to take the last method from an account, after it was taken. */
export async function requireOtherMethod(tx: Tx, userId: string, { hasPasswords }: Settings): Promise<void> {
  const found = hasPasswords ? await findAnyMethod(tx, { userId }) : await findMethodBesidePassword(tx, { userId });
  if (found) return;
  throw new ApiError("last_sign_in_method", "This is the last way to sign in to this account: add another one first");
}

/** Stores a method of an account and records the event. A password replaces the one before. */
export async function addMethod(tx: Tx, act: EventContext, userId: string, method: NewMethod): Promise<void> {
  if (method.kind === "passkey") {
    await addPasskey(tx, act, userId, method);
    return;
  }
  if (method.kind === "provider") {
    await addIdentity(tx, act, userId, method);
    return;
  }
  await upsertPassword(tx, { userId, hash: method.hash, now: act.now });
  await emit(tx, act, {
    type: "password-updated",
    ownerId: userId,
    entityId: userId,
    text: "set a password",
    payload: { uid: userId },
  });
}

export interface MethodAddition {
  readonly userId: string;
  readonly method: NewMethod;
  /** The session that goes on when a new password ends the others. */
  readonly sessionId: string | null;
  readonly origin: Origin;
}

/** Internal change: adds a method to an account, whose owner has proved lately who they are. */
export async function addMethodOf(
  tx: Tx,
  { userId, method, sessionId, origin }: MethodAddition,
  now: number,
): Promise<void> {
  const act = await actAs(tx, userId, origin, now);
  await addMethod(tx, act, userId, method);
  if (method.kind !== "password") return;
  await endOtherSessions(tx, act, userId, sessionId);
  await withdrawAllCodes(tx, userId);
}
