// A declined request keeps its author from asking again for a day, a withdrawn one for an hour: each request is told
// to the team's owners, who could be flooded otherwise.
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";
import { ApiError } from "../../../platform/kernel/errors.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { findDecline, upsertDecline } from "../store.ts";

const PAUSE_MS = DAY_MS;
const PAUSE_AFTER_WITHDRAWAL_MS = HOUR_MS;

interface Decline {
  readonly teamId: string;
  readonly userId: string;
  readonly now: number;
}

export async function recordDecline(tx: Tx, decline: Decline): Promise<void> {
  await upsertDecline(tx, { ...decline });
}

export async function recordWithdrawal(tx: Tx, { teamId, userId, now }: Decline): Promise<void> {
  await upsertDecline(tx, { teamId, userId, now: now - PAUSE_MS + PAUSE_AFTER_WITHDRAWAL_MS });
}

export async function refuseWhileDeclined(tx: Tx, { teamId, userId, now }: Decline): Promise<void> {
  const decline = await findDecline(tx, { teamId, userId });
  const waitMs = decline ? decline.declinedAt + PAUSE_MS - now : 0;
  if (waitMs <= 0) return;
  const retryAfter = Math.ceil(waitMs / SECOND_MS);
  throw new ApiError(
    "request_declined",
    `Your last request was declined or withdrawn; you may ask again in ${retryAfter} s`,
    {
      retryAfter,
    },
  );
}
