// Links that sign in to an account once: the first set-up, the command line's link for those who are locked out, and recovery by
// mail. Anyone who has the link has the account, so it is short-lived, and a newer one replaces it.
import type { Account, Origin } from "../../../platform/kernel/caller.ts";
import { ApiError } from "../../../platform/kernel/errors.ts";
import { HOUR_MS } from "../../../platform/kernel/scheduling/clock.ts";
import { isSameEmail } from "../../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../../events/events/emit.ts";
import type { EventContext } from "../../../events/events/emit.ts";
import { endOtherSessions } from "../../sessions/end.ts";
import { openSession } from "../../sessions/open.ts";
import { findCallerByName } from "../../accounts/acting.ts";
import { changeAccount } from "../../accounts/change.ts";
import { systemAct } from "../../../events/events/system.ts";
import { actAs } from "../account.ts";
import { rememberDevice } from "../devices.ts";
import { addMethod, hasMethod } from "../methods.ts";
import type { NewMethod } from "../methods.ts";
import { addCode, peekCode, takeCode, withdrawAllCodes, withdrawCodes } from "./one-time-codes.ts";
import type { CodePurpose, OneTimeCode } from "./one-time-codes.ts";

export const LINK_LIFETIME_MS = HOUR_MS;

const LINK_PURPOSES = ["set-up", "sign-in", "recovery"] as const satisfies readonly CodePurpose[];
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

export interface SignInLink {
  readonly purpose: LinkPurpose;
  readonly code: string;
  /** ms */
  readonly expiresAt: number;
}

async function withdrawLinks(tx: Tx, userId: string): Promise<void> {
  for (const purpose of LINK_PURPOSES) await withdrawCodes(tx, userId, purpose);
}

/** Makes a link for an account, in place of those before. The caller holds the account's lock. */
export async function createLink(tx: Tx, act: EventContext, userId: string, purpose: LinkPurpose): Promise<SignInLink> {
  await withdrawLinks(tx, userId);
  return await addLink(tx, act, userId, purpose);
}

/** Makes a link beside those before: of servers that start together, each prints one that works. */
export async function addLink(tx: Tx, act: EventContext, userId: string, purpose: LinkPurpose): Promise<SignInLink> {
  const expiresAt = act.now + LINK_LIFETIME_MS;
  const code = await addCode(tx, { purpose, userId, data: null, expiresAt });
  await emit(tx, act, {
    type: "sign-in-link-created",
    ownerId: userId,
    entityId: userId,
    text: "made a link that signs in once",
    payload: { uid: userId, purpose, expiresAt },
  });
  return { purpose, code, expiresAt };
}

/**
 * Internal change of `reeve user sign-in-link`: a link for the account with this username, e-mail address or id. Null: there is none.
 */
export async function createLinkForUser(
  tx: Tx,
  { name }: { readonly name: string },
  now: number,
): Promise<(SignInLink & { readonly username: string }) | null> {
  const account = (await findCallerByName(tx, name))?.account;
  if (!account) return null;
  await lockOwner(tx, account.id);
  const purpose = (await hasMethod(tx, account.id)) ? "sign-in" : "set-up";
  return { ...(await createLink(tx, systemAct(now), account.id, purpose)), username: account.username };
}

/** What the page of a link shows before anything is done. */
export interface LinkPreview {
  readonly userId: string;
  readonly purpose: LinkPurpose;
  readonly username: string;
  readonly name: string | null;
  readonly email: string;
  readonly expiresAt: number;
}

/** Whether a link still goes to whom it was meant for: one by mail ends when the account gets another address. */
function isCurrent({ purpose, data }: OneTimeCode, { email }: Account): boolean {
  return purpose !== "recovery" || isSameEmail((data as { readonly email: string }).email, email);
}

export async function previewLink(reader: Tx, code: string, now: number): Promise<LinkPreview | undefined> {
  const found = await peekCode(reader, LINK_PURPOSES, code, now);
  const account = found?.userId ? (await findCallerByName(reader, found.userId))?.account : undefined;
  if (!found || !account || !isCurrent(found, account)) return undefined;
  const { id: userId, username, name, email } = account;
  return { userId, purpose: found.purpose as LinkPurpose, username, name, email, expiresAt: found.expiresAt };
}

export interface LinkUse {
  readonly code: string;
  /** Hashes of the cookies that the browser gets. */
  readonly sessionHash: string;
  readonly deviceHash: string;
  readonly origin: Origin;
  /** Of a set-up. */
  readonly account?: { readonly name: string | null; readonly email: string };
  /** A method to add. */
  readonly method: NewMethod | null;
}

/**
 * Internal change: uses a link. Signs in, stores what was filled in, and ends the other sessions of the account when it got a
 * method.
 */
export async function useLink(tx: Tx, use: LinkUse, now: number): Promise<{ readonly userId: string }> {
  const found = await takeCode(tx, LINK_PURPOSES, use.code, now);
  if (!found?.userId) throw unknownLink();
  const { userId, purpose } = found;
  const act = await actAs(tx, userId, use.origin, now);
  if (!isCurrent(found, act.caller.account as Account)) throw unknownLink();
  await withdrawLinks(tx, userId);
  if (use.account) {
    // Other links say nothing of where mail goes: the present address and the new one confirm that.
    if (purpose !== "set-up") throw unknownLink();
    // Nobody has mailed to an address that is typed in here, not even an administrator's.
    await changeAccount(tx, act, userId, { ...use.account, emailSource: "typed" });
  }
  if (use.method) {
    await addMethod(tx, act, userId, use.method);
    await withdrawAllCodes(tx, userId);
    await endOtherSessions(tx, act, userId, null);
  }
  await openSession(tx, act, { userId, hash: use.sessionHash, method: "link" });
  await rememberDevice(tx, userId, use.deviceHash, now);
  return { userId };
}

export function unknownLink(): ApiError {
  return new ApiError("link_unknown", "This link has expired, was used, or was replaced by a newer one");
}
