// Creates an account, without an event: the caller emits it, because it knows the actor.
import { newId } from "../../kernel/ids.ts";
import { positionAt } from "../../kernel/pagination.ts";
import type { Tx } from "../../kernel/tx.ts";
import { startChain } from "../events/emit.ts";
import { addAccountEntry } from "../search/entries.ts";
import { findAnyUser, insertUser } from "./store.ts";

interface NewAccount {
  readonly email: string;
  readonly username: string;
  readonly name: string | null;
  readonly isAdmin: boolean;
  /** Mail to the address reaches its owner, or an administrator answers for it. */
  readonly isEmailConfirmed: boolean;
}

/** Stores an account whose username and address are free, and starts its chain of events. Returns its id. */
export async function createAccount(
  tx: Tx,
  { email, username, name, isAdmin, isEmailConfirmed }: NewAccount,
  now: number,
): Promise<string> {
  const id = newId("user");
  await startChain(tx, id, "user");
  await insertUser(tx, {
    id,
    email,
    emailKey: email.toLowerCase(),
    username,
    usernameKey: username.toLowerCase(),
    name,
    isAdmin: isAdmin ? 1 : 0,
    emailConfirmedAt: isEmailConfirmed ? now : null,
    now,
    position: positionAt(now),
  });
  await addAccountEntry(tx, id);
  return id;
}

export async function isAnyAccount(tx: Tx): Promise<boolean> {
  return (await findAnyUser(tx, {})) !== undefined;
}
