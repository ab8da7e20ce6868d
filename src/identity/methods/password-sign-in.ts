// Signing in with a password: what the store knows before the password is verified, and the sign-in afterwards.
import type { Origin } from "../../platform/kernel/caller.ts";
import { loginKey } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { openSession } from "../sessions/open.ts";
import { actAs } from "./account.ts";
import { rememberDevice } from "./devices.ts";
import { clearFailures } from "./failures/failures.ts";
import { findByEmail, findByUsername, renewPasswordHash } from "./store.ts";

export interface FoundPassword {
  readonly userId: string;
  /** PHC string; null: the account has no password. */
  readonly passwordHash: string | null;
}

/** The account that somebody names to sign in, by username or e-mail address. */
export async function findForSignIn(reader: Tx, login: string): Promise<FoundPassword | undefined> {
  const key = loginKey(login);
  return await (login.includes("@") ? findByEmail(reader, { key }) : findByUsername(reader, { key }));
}

export interface PasswordSignIn {
  readonly userId: string;
  readonly sessionHash: string;
  readonly deviceHash: string;
  readonly origin: Origin;
  /** What failures are counted for, and this success clears. */
  readonly subjects: readonly string[];
  /** A hash of the same password with newer parameters. */
  readonly renewal: { readonly from: string; readonly hash: string } | null;
}

/** Internal change. The password was verified. */
export async function signInWithPassword(tx: Tx, input: PasswordSignIn, now: number): Promise<void> {
  const { userId, sessionHash, deviceHash, origin, subjects, renewal } = input;
  const act = await actAs(tx, userId, origin, now);
  if (renewal) await renewPasswordHash(tx, { userId, ...renewal });
  await openSession(tx, act, { userId, hash: sessionHash, method: "password" });
  await rememberDevice(tx, userId, deviceHash, now);
  await clearFailures(tx, subjects);
}
