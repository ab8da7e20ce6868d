// The queue from the side of the mailers: a mailer claims mails, attempts to send them, and deletes or postpones them. Mail is sent
// at least once: where a process dies between sending and deleting, the next one sends again.
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { MailKind, MailPayloads } from "./queue.ts";
import { createStopToken } from "./stop.ts";
import { claim, deleteClaimed, findDue, makeFailedDue, makeSkewedDue, postponeClaimed } from "./store.ts";

/** Longer than an attempt may take. A mail waits for as long when its process is lost. */
const LEASE_MS = 5 * MINUTE_MS;

/** One attempt at a mail. */
export interface Claim {
  readonly id: string;
  /** Counts from 1. */
  readonly attempts: number;
}

/** A code, of which only the hash is stored, and when it expires (ms). */
export interface FreshCode {
  readonly code: string;
  readonly expiresAt: number;
}

/**
 * Makes another code for what a mail is about, in place of the one before; undefined when that is no longer valid, so that nothing is
 * to be sent.
 */
export type RenewCode<Holder> = (tx: Tx, holder: Holder & { readonly now: number }) => Promise<FreshCode | undefined>;

/** What renews the codes of mails: the resources that store them implement it. */
export interface CodeRenewals {
  /** Of an invitation. */
  readonly invite: RenewCode<{ readonly teamId: string; readonly inviteId: string }>;
  /** A one-time code that was stored for this mail. */
  readonly oneTimeCode: RenewCode<{ readonly mailId: string }>;
}

/** The content of a mail: its kind and payload, and the code of a mail that carries one. */
export type MailContent = {
  readonly [K in MailKind]: { readonly kind: K; readonly payload: MailPayloads[K] };
}[MailKind] & {
  readonly code: FreshCode | null;
  /** For the link that stops further mail from the team; null for mail of no team. */
  readonly stopToken: string | null;
};

export type ClaimedMail = Claim &
  MailContent & {
    readonly recipient: string;
    readonly createdAt: number;
  };

type ClaimedRow = Awaited<ReturnType<typeof claim>>[number];

function readMail({ payload, ...row }: ClaimedRow): ClaimedMail {
  // queueMail wrote kind and payload together.
  return { ...row, payload: JSON.parse(payload), code: null, stopToken: null } as ClaimedMail;
}

/** A code that a mail carries. */
interface CarriedCode {
  /** Id of what it belongs to: of several mails about the same, the newest carries the code. */
  readonly holderId: string;
  renew(tx: Tx, now: number): Promise<FreshCode | undefined>;
}

function findCarriedCode(mail: ClaimedMail, renewals: CodeRenewals): CarriedCode | undefined {
  switch (mail.kind) {
    case "invite": {
      const { teamId, inviteId } = mail.payload;
      if (inviteId === null) return undefined;
      return { holderId: inviteId, renew: (tx, now) => renewals.invite(tx, { teamId, inviteId, now }) };
    }
    case "recovery":
    case "email-change":
    case "sign-up":
      return { holderId: mail.id, renew: (tx, now) => renewals.oneTimeCode(tx, { mailId: mail.id, now }) };
    case "access-request":
    case "access-request-confirmed":
    case "webhook-disabled":
    case "account-exists":
      return undefined;
  }
}

/** Adds the link that stops further mail; undefined when the recipient has stopped mail from the team. */
async function addLink(tx: Tx, mail: ClaimedMail): Promise<ClaimedMail | undefined> {
  const { teamId } = mail.payload;
  if (teamId === null) return mail;
  const stopToken = await createStopToken(tx, teamId, mail.recipient);
  return stopToken === null ? undefined : { ...mail, stopToken };
}

/** Whether there is a mail to claim. It is a read, so it is cheap to ask often. */
export async function isMailDue(reader: Tx, now: number): Promise<boolean> {
  return (await findDue(reader, { now })) !== undefined;
}

/**
 * Claims up to `limit` due mails. Each mail that carries a code gets a new one for the attempt. Three kinds of mail are deleted
 * instead: mail whose code belongs to something that is no longer valid, mail whose code a newer mail carries, and mail to a recipient
 * who has stopped the team's mail.
 */
async function claimMails(tx: Tx, renewals: CodeRenewals, limit: number, now: number): Promise<ClaimedMail[]> {
  const claimed = (await claim(tx, { now, dueAt: now + LEASE_MS, limit })).map(readMail);
  const mails: ClaimedMail[] = [];
  const renewed = new Set<string>();
  for (const mail of claimed.toSorted((a, b) => b.createdAt - a.createdAt)) {
    const linked = await addLink(tx, mail);
    const carried = linked && findCarriedCode(linked, renewals);
    const code = carried && !renewed.has(carried.holderId) ? await carried.renew(tx, now) : undefined;
    if (!linked || (carried && !code)) {
      await deleteClaimed(tx, { id: mail.id, attempts: mail.attempts });
      continue;
    }
    if (carried) renewed.add(carried.holderId);
    mails.push(code ? { ...linked, code } : linked);
  }
  return mails;
}

/** Ends a claim: the mail was accepted, or is given up. */
async function deleteMail(tx: Tx, { id, attempts }: Claim): Promise<void> {
  await deleteClaimed(tx, { id, attempts });
}

interface Postponement extends Claim {
  readonly dueAt: number;
  /** A hash of the settings, if the attempt failed because of the mail server. */
  readonly failedWith: string | null;
}

/** Ends a claim: the mail is retried at `dueAt`, or with other settings. */
async function postponeMail(tx: Tx, { id, attempts, dueAt, failedWith }: Postponement): Promise<void> {
  await postponeClaimed(tx, { id, attempts, dueAt, failedWith });
}

/** Makes the mails due that other settings kept from being sent. */
async function retryMails(tx: Tx, settings: string, now: number): Promise<void> {
  await makeFailedDue(tx, { settings, now });
}

/** The internal changes of the mailers. */
export function createOutboxChanges(renewals: CodeRenewals) {
  return {
    claimMails: (tx: Tx, limit: number, now: number) => claimMails(tx, renewals, limit, now),
    deleteMail,
    postponeMail,
    retryMails,
  };
}

export type OutboxChanges = ReturnType<typeof createOutboxChanges>;

/**
 * Clock-skew repair: makes mails due that a clock that was ahead has delayed. `delaysMs` has the longest delay of a mail after 0, 1, ...
 * attempts; the last one repeats.
 */
export async function repairMailTimes(tx: Tx, delaysMs: readonly number[], now: number): Promise<number> {
  const latest = delaysMs.map((delayMs, attempts) => ({ attempts, dueAt: Math.ceil(now + LEASE_MS + delayMs) }));
  await makeSkewedDue(tx, { latest: JSON.stringify(latest), last: latest.length - 1, now });
  return 0;
}
