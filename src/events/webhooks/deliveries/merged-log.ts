// The log of several webhooks of one owner as one, newest first. Deliveries of one event have one sequence, and stay on one page.
import type { Tx } from "../../../platform/kernel/tx.ts";
import { readDeliveries } from "../../queue/log.ts";
import type { DeliveryFilter } from "../../queue/log.ts";
import type { DeliveryRow } from "../../queue/log-store.ts";
import { MOST_LOOKED_AT } from "./delivery-schema.ts";
import type { WebhookKey } from "../../queue/vocabulary.ts";

/** A webhook, and the part of its log to read: `after < sequence < before`. */
export interface LogPart extends WebhookKey {
  readonly after: number;
  readonly before: number;
}

export interface MergedPage {
  readonly rows: readonly DeliveryRow[];
  /** The sequence below which the next page begins; null: there is none. */
  readonly next: number | null;
}

/** The first `limit` rows, and those of the same event as the last of them. */
function wholeEvents(rows: readonly DeliveryRow[], limit: number): readonly DeliveryRow[] {
  const last = rows[limit - 1]?.sequence;
  if (last === undefined) return rows;
  const end = rows.findIndex(({ sequence }) => sequence < last);
  return end < 0 ? rows : rows.slice(0, end);
}

/** A webhook has one delivery of an event, so that one row more than the limit of each completes the last event. */
async function readMerged(
  tx: Tx,
  parts: readonly LogPart[],
  filter: DeliveryFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<MergedPage> {
  const read: DeliveryRow[] = [];
  for (const part of parts) {
    const range = { after: part.after, before: Math.min(before, part.before), limit: limit + 1 };
    read.push(...(await readDeliveries(tx, part, filter, { ...range, direction: "newest" })));
  }
  read.sort((a, b) => b.sequence - a.sequence || (a.webhookId < b.webhookId ? -1 : 1));
  const rows = wholeEvents(read, limit);
  return { rows, next: rows.length < read.length ? (rows.at(-1)?.sequence ?? null) : null };
}

/** A page of the rows that match; it may have fewer than `limit`, or none, although there is a next one. */
export async function readMergedLog(
  tx: Tx,
  parts: readonly LogPart[],
  filter: DeliveryFilter & { readonly matches: ((row: DeliveryRow) => boolean) | null },
  limit: number,
): Promise<MergedPage> {
  const { matches } = filter;
  if (!matches) return await readMerged(tx, parts, filter, { before: Number.MAX_SAFE_INTEGER, limit });
  const found: DeliveryRow[] = [];
  let [before, lookedAt] = [Number.MAX_SAFE_INTEGER, 0];
  for (;;) {
    const page = await readMerged(tx, parts, filter, { before, limit });
    lookedAt += page.rows.length;
    found.push(...page.rows.filter(matches));
    const rows = wholeEvents(found, limit);
    if (rows.length < found.length) return { rows, next: rows.at(-1)?.sequence ?? null };
    if (page.next === null || found.length >= limit || lookedAt >= MOST_LOOKED_AT) return { rows, next: page.next };
    before = page.next;
  }
}
