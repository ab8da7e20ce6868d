// The queue from the side of the mailers: a mailer claims mails, attempts to send them, and deletes or postpones them. Mail is sent
// at least once: where a process dies between sending and deleting, the next one sends again.
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import type { Tx } from "../../kernel/tx.ts";
import type { MailKind, MailPayloads } from "./queue.ts";
import { createStopToken } from "./stop.ts";
import { claim, deleteClaimed, findDue, makeSkewedDue, postponeClaimed } from "./store.ts";

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

/** Makes another code for an invitation; undefined when the invitation is no longer valid. `invites/` implements it. */
export type RenewCode = (
  tx: Tx,
  invite: { readonly teamId: string; readonly inviteId: string; readonly now: number },
) => Promise<FreshCode | undefined>;

/** The content of a mail: its kind and payload, and the code of an invitation that needs one. */
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

/** The invitation whose code a mail carries. */
function codedInvite({
  kind,
  payload,
}: MailContent): { readonly teamId: string; readonly inviteId: string } | undefined {
  if (kind !== "invite" || payload.inviteId === null) return undefined;
  return { teamId: payload.teamId, inviteId: payload.inviteId };
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
 * Claims up to `limit` due mails. Each invitation gets a new code for the attempt. Three kinds of mail are deleted instead: mail about
 * an invitation that is no longer valid, mail about one that a newer mail is about, and mail to a recipient who has stopped the
 * team's mail.
 */
async function claimMails(tx: Tx, renewCode: RenewCode, limit: number, now: number): Promise<ClaimedMail[]> {
  const claimed = (await claim(tx, { now, dueAt: now + LEASE_MS, limit })).map(readMail);
  const mails: ClaimedMail[] = [];
  const renewed = new Set<string>();
  for (const mail of claimed.toSorted((a, b) => b.createdAt - a.createdAt)) {
    const linked = await addLink(tx, mail);
    const invite = linked && codedInvite(mail);
    const code = invite && !renewed.has(invite.inviteId) ? await renewCode(tx, { ...invite, now }) : undefined;
    if (!linked || (invite && !code)) {
      await deleteClaimed(tx, { id: mail.id, attempts: mail.attempts });
      continue;
    }
    if (invite) renewed.add(invite.inviteId);
    mails.push(code ? { ...linked, code } : linked);
  }
  return mails;
}

/** Ends a claim: the mail was accepted, or is given up. */
async function deleteMail(tx: Tx, { id, attempts }: Claim): Promise<void> {
  await deleteClaimed(tx, { id, attempts });
}

/** Ends a claim: the mail is retried at `dueAt`. */
async function postponeMail(tx: Tx, { id, attempts, dueAt }: Claim & { readonly dueAt: number }): Promise<void> {
  await postponeClaimed(tx, { id, attempts, dueAt });
}

/** The internal commands of the mailers. */
export function createOutboxCommands(renewCode: RenewCode) {
  return {
    claimMails: (tx: Tx, limit: number, now: number) => claimMails(tx, renewCode, limit, now),
    deleteMail,
    postponeMail,
  };
}

export type OutboxCommands = ReturnType<typeof createOutboxCommands>;

/**
 * Clock-skew repair: makes mails due that a clock that was ahead has delayed. `delaysMs` has the longest delay of a mail after 0, 1, ...
 * attempts; the last one repeats.
 */
export async function repairMailTimes(tx: Tx, delaysMs: readonly number[], now: number): Promise<number> {
  const latest = delaysMs.map((delayMs, attempts) => ({ attempts, dueAt: Math.ceil(now + LEASE_MS + delayMs) }));
  await makeSkewedDue(tx, { latest: JSON.stringify(latest), last: latest.length - 1, now });
  return 0;
}
