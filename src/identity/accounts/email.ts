// Whom an address finds: at most one account, by the key of its address. An address that somebody has typed in and nobody has confirmed
// keeps nobody from it who can prove that it is theirs.
import { fieldError } from "../../platform/kernel/errors.ts";
import { emailKey } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../events/events/emit.ts";
import { findUser, findUserByEmail, updateEmailKey } from "./store.ts";
import { systemAct } from "../../events/events/system.ts";

/**
 * Who says that an address is an account's:
 * - `proven`: its owner, who read mail there, or whose provider has verified it;
 * - `vouched`: an administrator;
 * - `typed`: a visitor filled in a form. The address is not confirmed.
 */
export type EmailSource = "proven" | "vouched" | "typed";

interface EmailClaim {
  readonly userId: string;
  readonly email: string;
  readonly source: EmailSource;
}

/** The account that an address finds, in whatever spelling. */
export async function findEmailHolder(
  tx: Tx,
  email: string,
): Promise<{ readonly userId: string; readonly isConfirmed: boolean } | undefined> {
  const row = await findUserByEmail(tx, { emailKey: emailKey(email) });
  return row && { userId: row.id, isConfirmed: row.emailConfirmedAt !== null };
}

/** Refuses an address that another account than `userId` has confirmed. */
export async function refuseConfirmedEmail(tx: Tx, email: string, userId: string): Promise<void> {
  const holder = await findEmailHolder(tx, email);
  if (holder?.isConfirmed && holder.userId !== userId) throw takenEmail();
}

/** Takes an unconfirmed address from the account that it found, unless the account has given it up meanwhile. */
async function releaseAddress(tx: Tx, userId: string, key: string, now: number): Promise<void> {
  await lockOwner(tx, userId);
  const row = await findUser(tx, { id: userId });
  if (row?.emailKey !== key) return;
  const { email, username, emailConfirmedAt: confirmedAt } = row;
  if (confirmedAt !== null) throw takenEmail();
  await updateEmailKey(tx, { id: userId, emailKey: userId });
  await emit(tx, systemAct(now), {
    type: "email",
    ownerId: userId,
    entityId: userId,
    text: `gave the unconfirmed e-mail address of account ${username} to the person who proved that it is theirs`,
    payload: { email, prevEmail: email },
  });
}

function takenEmail(): Error {
  return fieldError("email_taken", "body.email", "another account has this address");
}

/**
 * The key by which an address finds an account from now on. A typed address that is taken gets a key that no address has, so that
 * the visitor learns nothing; other sources are refused with `email_taken`, but an owner who proves an address gets it from an
 * account that has not confirmed it.
 */
export async function claimEmailKey(tx: Tx, { userId, email, source }: EmailClaim, now: number): Promise<string> {
  const [key, holder] = [emailKey(email), await findEmailHolder(tx, email)];
  if (!holder || holder.userId === userId) return key;
  if (source === "typed") return userId;
  if (source === "vouched" || holder.isConfirmed) throw takenEmail();
  await releaseAddress(tx, holder.userId, key, now);
  return key;
}
