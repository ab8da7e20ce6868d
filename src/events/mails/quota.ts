// Limits the mails that a user, and a team, may cause in a day: otherwise everyone who may invite could write to any address.
import { formatUtc } from "../../platform/kernel/text/time-text.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { findResponsibleUserId } from "../../platform/kernel/caller.ts";
import { countMails, deleteCounts } from "./store.ts";

type MailingCall = Pick<Call, "caller" | "instance" | "now">;

interface Quota {
  readonly ownerId: string;
  readonly limit: number;
  readonly who: string;
  readonly setting: string;
}

const PRUNE_BATCH = 500;

function dayOf(now: number): number {
  return Math.floor(now / DAY_MS);
}

function quotasOf(call: MailingCall, teamId: string | null): readonly Quota[] {
  const { user, team } = call.instance.mailLimits;
  // For a key of a team, the user who is responsible for it: more keys do not allow more mail.
  const sender = findResponsibleUserId(call.caller);
  const quotas = [
    { ownerId: sender, limit: user, who: "this account", setting: "REEVE_MAIL_USER_LIMIT" },
    { ownerId: teamId, limit: team, who: "this team", setting: "REEVE_MAIL_TEAM_LIMIT" },
  ];
  return quotas.flatMap(({ ownerId, ...quota }) =>
    ownerId === null || quota.limit === 0 ? [] : { ownerId, ...quota },
  );
}

/** When the counts begin anew, ms. */
export function nextDayOf(now: number): number {
  return (dayOf(now) + 1) * DAY_MS;
}

/** Counts a mail for what nobody is signed in for; false, and it is not counted, when there were `limit` today. */
export async function countOne(
  tx: Tx,
  { subject, limit, now }: { readonly subject: string; readonly limit: number; readonly now: number },
): Promise<boolean> {
  return (await countMails(tx, { day: dayOf(now), ownerId: subject, mails: 1, limit })) !== undefined;
}

/** Counts mails. Returns the quota that they would exceed. */
async function findExceeded(
  tx: Tx,
  call: MailingCall,
  teamId: string | null,
  mails: number,
): Promise<Quota | undefined> {
  if (!call.instance.hasMail || mails === 0) return undefined;
  const day = dayOf(call.now);
  for (const quota of quotasOf(call, teamId)) {
    const { ownerId, limit } = quota;
    if (mails > limit || !(await countMails(tx, { day, ownerId, mails, limit }))) return quota;
  }
  return undefined;
}

/** Counts mails to addresses that the caller has chosen, for the caller and the team, if any; refuses one too many. */
export async function requireMailQuota(tx: Tx, call: MailingCall, teamId: string | null, mails = 1): Promise<void> {
  const exceeded = await findExceeded(tx, call, teamId, mails);
  if (!exceeded) return;
  const { who, limit, setting } = exceeded;
  const resetsAt = nextDayOf(call.now);
  throw new ApiError(
    "too_many_mails",
    `${who} may have ${limit} mails sent a day (${setting}): try again after ${formatUtc(resetsAt)}`,
    { limit, setting, resetsAt, retryAfter: Math.ceil((resetsAt - call.now) / 1_000) },
  );
}

/**
 * Counts mails to people whom the caller's action concerns, for the caller alone. Returns false if there are too many: they are not
 * sent then, since these people see the action without them too.
 */
export async function hasMailQuota(tx: Tx, call: MailingCall, mails: number): Promise<boolean> {
  return (await findExceeded(tx, call, null, mails)) === undefined;
}

/** Deletes the counts of past days, some at a time. */
export async function pruneMailCounts(tx: Tx, _input: null, now: number): Promise<number> {
  return await deleteCounts(tx, { day: dayOf(now), limit: PRUNE_BATCH });
}
