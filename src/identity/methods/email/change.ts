// Changing the address of an account: it changes when the old and the new address have confirmed, each by a link of its own. Anyone who
// sits at an open screen has one of the two at most.
import type { Account, Origin } from "../../../platform/kernel/caller.ts";
import type { Call } from "../../../platform/kernel/contract.ts";
import { fieldError, notFound } from "../../../platform/kernel/errors.ts";
import { DAY_MS } from "../../../platform/kernel/scheduling/clock.ts";
import { isSameEmail, requireEmail } from "../../../platform/kernel/text/email-address.ts";
import { parseStored } from "../../../platform/kernel/text/stored-json.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit } from "../../../events/events/emit.ts";
import { requireMailQuota } from "../../../events/mails/quota.ts";
import { changeAccount } from "../../accounts/change.ts";
import { refuseConfirmedEmail } from "../../accounts/email.ts";
import { actAs } from "../account.ts";
import { countRecipient, tooManyMails } from "../codes/mail-limits.ts";
import { listCodesOf, updateCodeData } from "../codes/code-store.ts";
import { unknownLink } from "../codes/links.ts";
import { mailCode } from "../codes/mailed-codes.ts";
import { peekCode, takeCode, withdrawCodes } from "../codes/one-time-codes.ts";
import { findAccountAddress } from "../store.ts";

const LIFETIME_MS = DAY_MS;

const PURPOSES = ["email-old", "email-new"] as const;
type Purpose = (typeof PURPOSES)[number];
export type AddressSide = "old" | "new";

const OTHER: Readonly<Record<Purpose, Purpose>> = { "email-old": "email-new", "email-new": "email-old" };
const SIDE: Readonly<Record<Purpose, AddressSide>> = { "email-old": "old", "email-new": "new" };

/** What the code of each address stands for. */
interface Change {
  readonly email: string;
  /** The address that the account had when the change was asked for. */
  readonly previous: string;
  readonly isOtherConfirmed: boolean;
}

async function getAddress(tx: Tx, userId: string) {
  const found = await findAccountAddress(tx, { userId });
  if (!found) throw notFound("User");
  return { email: found.email, username: found.username, isConfirmed: found.confirmedAt !== null };
}

/** The change that is pending, and which addresses have yet to confirm. */
function describePending(codes: Awaited<ReturnType<typeof listCodesOf>>, current: string) {
  const waiting: AddressSide[] = [];
  let pending: { readonly email: string; readonly expiresAt: number } | undefined;
  for (const purpose of PURPOSES) {
    const row = codes.find((code) => code.purpose === purpose);
    if (!row) continue;
    const { email, previous } = parseStored(row.data) as Change;
    if (!isSameEmail(previous, current)) continue;
    waiting.push(SIDE[purpose]);
    pending = { email, expiresAt: row.expiresAt };
  }
  return pending ? { ...pending, waitsFor: waiting } : null;
}

/** The address of an account, and the change that was asked for. */
export async function findAddress(tx: Tx, userId: string, now: number) {
  const [{ email, isConfirmed }, codes] = await Promise.all([
    getAddress(tx, userId),
    listCodesOf(tx, { userId, purposes: JSON.stringify(PURPOSES), now }),
  ]);
  return { email, isConfirmed, pending: describePending(codes, email) };
}

/**
 * Mails a link to each address that has to confirm, in place of those of an earlier request. Whether another account has the address
 * makes no difference: its owner learns it when they confirm. The caller holds the account's lock.
 */
export async function askForChange(
  tx: Tx,
  call: Pick<Call, "caller" | "instance" | "now" | "origin">,
  userId: string,
  email: string,
): Promise<void> {
  const { email: previous, username, isConfirmed } = await getAddress(tx, userId);
  if (isConfirmed && isSameEmail(email, previous))
    throw fieldError("bad_request", "body.email", "this is your address already");
  await requireMailQuota(tx, call, null, isConfirmed ? 2 : 1);
  if (!(await countRecipient(tx, "email-change", email, call.now))) {
    throw tooManyMails("this address was sent too many mails today", call.now, "body.email");
  }
  for (const purpose of PURPOSES) await withdrawCodes(tx, userId, purpose);
  const ask = async (purpose: Purpose, recipient: string, isOtherConfirmed: boolean) => {
    const data: Change = { email, previous, isOtherConfirmed };
    await mailCode(tx, call, {
      kind: "email-change",
      recipient,
      payload: { teamId: null, username, address: SIDE[purpose] },
      code: { purpose, userId, data, expiresAt: call.now + LIFETIME_MS },
    });
  };
  // An address that nobody has confirmed may be a stranger's, so it is not asked.
  await ask("email-new", email, !isConfirmed);
  if (isConfirmed) await ask("email-old", previous, false);
  await emit(tx, call, {
    type: "email-change-requested",
    ownerId: userId,
    entityId: userId,
    text: `asked to change the e-mail address of account ${username}`,
    payload: { uid: userId, email, prevEmail: previous },
  });
}

/** What the page of a link shows before anything is done. */
export interface EmailChangePreview {
  readonly side: AddressSide;
  readonly username: string;
  readonly previous: string;
  readonly email: string;
}

export async function previewEmailChange(
  reader: Tx,
  code: string,
  now: number,
): Promise<EmailChangePreview | undefined> {
  const found = await peekCode(reader, PURPOSES, code, now);
  const account = found?.userId ? await findAccountAddress(reader, { userId: found.userId }) : undefined;
  if (!found || !account) return undefined;
  const { email, previous } = found.data as Change;
  const side = SIDE[found.purpose as Purpose];
  return isSameEmail(account.email, previous) ? { side, username: account.username, previous, email } : undefined;
}

/** Internal change: confirms a change at one of its addresses. Returns the address that has yet to confirm; null: it is changed. */
export async function confirmEmail(
  tx: Tx,
  { code, origin }: { readonly code: string; readonly origin: Origin },
  now: number,
): Promise<{ readonly waitsFor: AddressSide | null }> {
  const userId = (await peekCode(tx, PURPOSES, code, now))?.userId;
  if (!userId) throw unknownLink();
  // Under the account's lock, of two confirmations at the same time the second one sees the first.
  const act = await actAs(tx, userId, origin, now);
  const found = await takeCode(tx, PURPOSES, code, now);
  if (!found) throw unknownLink();
  const change = found.data as Change;
  if (!isSameEmail(change.previous, (act.caller.account as Account).email)) throw unknownLink();
  const purpose = found.purpose as Purpose;
  // Anyone who reads mail of the new address may know that it has an account; anyone who has the old one may not.
  if (purpose === "email-new") await refuseConfirmedEmail(tx, change.email, userId);
  if (!change.isOtherConfirmed) {
    const data: Change = { ...change, isOtherConfirmed: true };
    await updateCodeData(tx, { userId, purpose: OTHER[purpose], data: JSON.stringify(data) });
    return { waitsFor: SIDE[OTHER[purpose]] };
  }
  await changeAccount(tx, act, userId, { email: requireEmail(change.email), emailSource: "proven" });
  return { waitsFor: null };
}
