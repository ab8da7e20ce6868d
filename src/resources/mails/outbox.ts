// The queue from the side of who sends: mails are claimed, tried, and deleted or put off. At least once: whoever dies
// between sending and deleting leaves the mail to the next one.
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import type { Tx } from "../../kernel/tx.ts";
import type { MailKind, MailPayloads } from "./queue.ts";
import { createStopToken } from "./stop.ts";
import { bringForward, claim, deleteClaimed, findDue, postponeClaimed } from "./store.ts";

/** Longer than an attempt may take; so long a mail waits whose process was lost. */
const LEASE_MS = 5 * MINUTE_MS;

/** One attempt at a mail. */
export interface Claim {
  readonly id: string;
  /** Counts from 1. */
  readonly attempts: number;
}

/** A code that is in no table, and when it ends (ms). */
export interface FreshCode {
  readonly code: string;
  readonly expiresAt: number;
}

/** Makes another code for an invitation; undefined when it no longer works. Invitations have one of these. */
export type RenewCode = (
  tx: Tx,
  invite: { readonly teamId: string; readonly inviteId: string; readonly now: number },
) => Promise<FreshCode | undefined>;

/** What a mail says: its kind and payload, and the code of an invitation that is accepted with one. */
export type MailContent = {
  readonly [K in MailKind]: { readonly kind: K; readonly payload: MailPayloads[K] };
}[MailKind] & {
  readonly code: FreshCode | null;
  /** Of the link that stops further mail from the team; null for mail of no team. */
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

/** With its link; undefined when the recipient wants no more mail from the team. */
async function addLink(tx: Tx, mail: ClaimedMail): Promise<ClaimedMail | undefined> {
  const { teamId } = mail.payload;
  if (teamId === null) return mail;
  const stopToken = await createStopToken(tx, teamId, mail.recipient);
  return stopToken === null ? undefined : { ...mail, stopToken };
}

/** Whether there is anything to claim: a read, so that asking often costs little. */
export async function isMailDue(reader: Tx, now: number): Promise<boolean> {
  return (await findDue(reader, { now })) !== undefined;
}

/**
 * Claims up to `limit` due mails. Each invitation's code is made anew for the attempt; mails about invitations that no
 * longer stand, or that a newer mail is about, are dropped, and so is mail to who wants no more of the team's.
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

/** Ends a claim: the mail was accepted, or never will be. */
async function deleteMail(tx: Tx, { id, attempts }: Claim): Promise<void> {
  await deleteClaimed(tx, { id, attempts });
}

/** Ends a claim: the mail is tried again at `dueAt`. */
async function postponeMail(tx: Tx, { id, attempts, dueAt }: Claim & { readonly dueAt: number }): Promise<void> {
  await postponeClaimed(tx, { id, attempts, dueAt });
}

/** What those who send do with the queue, as internal commands; invitations make the codes. */
export function createOutboxCommands(renewCode: RenewCode) {
  return {
    claimMails: (tx: Tx, limit: number, now: number) => claimMails(tx, renewCode, limit, now),
    deleteMail,
    postponeMail,
  };
}

export type OutboxCommands = ReturnType<typeof createOutboxCommands>;

/**
 * Makes due what a clock that was ahead has put off. `delaysMs` says how long a mail may wait that was tried 0, 1, ... times;
 * the last one repeats.
 */
export async function bringMailsForward(tx: Tx, delaysMs: readonly number[], now: number): Promise<number> {
  const latest = delaysMs.map((delayMs, attempts) => ({ attempts, dueAt: Math.ceil(now + LEASE_MS + delayMs) }));
  await bringForward(tx, { latest: JSON.stringify(latest), last: latest.length - 1, now });
  return 0;
}
