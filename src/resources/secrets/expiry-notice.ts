// Announces that secrets expire: seven days before, one day before, and on expiry.
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import { systemAct } from "../users/system.ts";
import { DUE_BATCH, forDueSecrets } from "./due.ts";
import { dueNotice, nextNoticeAt } from "./rules.ts";
import type { Notice } from "./rules.ts";
import { listDueNotices, setNotice } from "./store.ts";
import type { SecretRow } from "./store.ts";
import { eventPayload } from "./view.ts";

const SENTENCES: Readonly<Record<Notice, string>> = {
  week: "noticed that secret # expires within seven days",
  day: "noticed that secret # expires within a day",
  expired: "noticed that secret # has expired",
};

/** Announces a batch of due notices; returns how many. */
export async function announceExpiry(tx: Tx, _input: null, now: number): Promise<number> {
  const candidates = await listDueNotices(tx, { now, limit: DUE_BATCH });
  const isDue = (row: SecretRow) => row.notice_at !== null && row.notice_at <= now;
  return await forDueSecrets(tx, candidates, isDue, async (row) => {
    const { id, owner_id: ownerId } = row;
    const expiresAt = row.expires_at as number;
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
