// Processes due secrets of many owners, one owner per transaction, and announces that secrets expire: seven days before, one day
// before, and on expiry.
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { forFirstOwner } from "../../events/events/first-owner.ts";
import { systemAct } from "../../events/events/system.ts";
import { dueNotice, nextNoticeAt } from "./rules.ts";
import type { Notice } from "./rules.ts";
import { findSecretById, listDueNotices, setNotice } from "./store.ts";
import type { SecretRow } from "./store.ts";
import { eventPayload } from "./view.ts";

export const DUE_BATCH = 100;

/**
 * Calls `work` for the candidates of the first candidate's owner that are still due once the owner is locked; returns how
 * many.
 */
export async function forDueSecrets(
  tx: Tx,
  candidates: readonly { readonly id: string; readonly ownerId: string }[],
  isDue: (row: SecretRow) => boolean,
  work: (row: SecretRow) => Promise<void>,
): Promise<number> {
  return await forFirstOwner(tx, candidates, async ({ id, ownerId }) => {
    const row = await findSecretById(tx, { ownerId, id });
    if (!row || !isDue(row)) return false;
    await work(row);
    return true;
  });
}

/** `#` is the name of the secret. */
const SENTENCES: Readonly<Record<Notice, string>> = {
  week: "noticed that secret # expires within seven days",
  day: "noticed that secret # expires within a day",
  expired: "noticed that secret # has expired",
};

/** Announces a batch of due notices; returns how many. */
export async function announceExpiry(tx: Tx, _input: null, now: number): Promise<number> {
  const candidates = await listDueNotices(tx, { now, limit: DUE_BATCH });
  const isDue = (row: SecretRow) => row.noticeAt !== null && row.noticeAt <= now;
  return await forDueSecrets(tx, candidates, isDue, async (row) => {
    const { id, ownerId } = row;
    const expiresAt = row.expiresAt as number;
    const notice = dueNotice(expiresAt, now);
    await setNotice(tx, { ownerId, id, noticeAt: nextNoticeAt(expiresAt, now) });
    await emit(tx, systemAct(now), {
      type: "secret-expiring",
      ownerId,
      entityId: id,
      text: SENTENCES[notice].replace("#", row.name),
      payload: { ...eventPayload(row), expiresAt, notice },
    });
  });
}
