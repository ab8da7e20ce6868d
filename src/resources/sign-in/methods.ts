// The methods by which the owner of an account signs in: adding them, and whether there is one.
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { findAnyMethod, upsertPassword } from "./store.ts";

/** A method that was proved or made outside of the transaction. */
export type NewMethod = {
  readonly kind: "password";
  /** PHC string. */
  readonly hash: string;
};

export async function hasMethod(tx: Tx, userId: string): Promise<boolean> {
  return (await findAnyMethod(tx, { userId })) !== undefined;
}

/** Stores a method of an account and records the event. A password replaces the one before. */
export async function addMethod(tx: Tx, act: Act, userId: string, method: NewMethod): Promise<void> {
  await upsertPassword(tx, { userId, hash: method.hash, now: act.now });
  await emit(tx, act, {
    type: "password-updated",
    ownerId: userId,
    entityId: userId,
    text: "set a password",
    payload: { uid: userId },
  });
}
