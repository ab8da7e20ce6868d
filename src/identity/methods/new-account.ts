// An account that its owner makes: with its event and a method to sign in, and signed in to at once.
import type { Origin } from "../../platform/kernel/caller.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { openSession } from "../sessions/open.ts";
import { refuseTakenUsername } from "../accounts/change.ts";
import { createAccount } from "../accounts/create.ts";
import type { EmailSource } from "../accounts/email.ts";
import { actAs } from "./account.ts";
import { rememberDevice } from "./devices.ts";
import { addMethod } from "./methods.ts";
import type { NewMethod } from "./methods.ts";

/** What the form of a new account gives. */
export interface NewOwner {
  readonly username: string;
  readonly name: string | null;
  readonly method: NewMethod;
  /** Hashes of the cookies that the browser gets. */
  readonly sessionHash: string;
  readonly deviceHash: string;
  readonly origin: Origin;
}

/** Where the account comes from. */
export interface AccountSource {
  readonly email: string;
  readonly emailSource: EmailSource;
  /** The end of the event's text. */
  readonly how: string;
}

/** Makes the account and opens a session. Throws what the form shows: a name or an address that is taken. */
export async function openAccount(
  tx: Tx,
  { username, name, method, sessionHash, deviceHash, origin }: NewOwner,
  { email, emailSource, how }: AccountSource,
  now: number,
): Promise<{ readonly userId: string; readonly act: EventContext }> {
  await refuseTakenUsername(tx, username);
  const userId = await createAccount(tx, { email, username, name, isAdmin: false, emailSource }, now);
  const act = await actAs(tx, userId, origin, now);
  await emit(tx, act, {
    type: "user-created",
    ownerId: userId,
    entityId: userId,
    text: `created the account ${username} ${how}`,
    payload: { username, email, uid: userId },
    next: { username, email, name, isAdmin: false },
  });
  await addMethod(tx, act, userId, method);
  await openSession(tx, act, { userId, hash: sessionHash, method: method.kind });
  await rememberDevice(tx, userId, deviceHash, now);
  return { userId, act };
}
