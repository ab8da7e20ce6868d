// Creates an account, without an event: the caller emits it, because it knows the actor.
import { newId } from "../../platform/kernel/ids.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { startChain } from "../../events/events/emit.ts";
import { addAccountEntry } from "../../platform/store/search/entries.ts";
import { claimEmailKey } from "./email.ts";
import type { EmailSource } from "./email.ts";
import { findAnyUser, insertUser } from "./store.ts";

interface NewAccount {
  readonly email: string;
  readonly username: string;
  readonly name: string | null;
  readonly isAdmin: boolean;
  readonly emailSource: EmailSource;
}

/** Stores an account whose username is free, and starts its chain of events. Returns its id. Throws `email_taken`. */
export async function createAccount(
  tx: Tx,
  { email, username, name, isAdmin, emailSource }: NewAccount,
  now: number,
): Promise<string> {
  const id = newId("user");
  await startChain(tx, id, "user");
  await insertUser(tx, {
    id,
    email,
    emailKey: await claimEmailKey(tx, { userId: id, email, source: emailSource }, now),
    username,
    usernameKey: username.toLowerCase(),
    name,
    isAdmin: isAdmin ? 1 : 0,
    emailConfirmedAt: emailSource === "typed" ? null : now,
    now,
    position: positionAt(now),
  });
  await addAccountEntry(tx, { id, name, username, email });
  return id;
}

export async function isAnyAccount(tx: Tx): Promise<boolean> {
  return (await findAnyUser(tx, {})) !== undefined;
}
