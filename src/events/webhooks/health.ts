// How a webhook's deliveries of the last day went, by half hours. It reads a bounded number of rows.
import type { Static } from "typebox";
import type { Call } from "../../platform/kernel/contract.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { countLatest, listDurations } from "../queue/health-store.ts";
import { sequenceBefore } from "../queue/log.ts";
import type { WebhookRow } from "./store.ts";
import type { WebhookHealth } from "./webhook-schema.ts";

const PERIOD_MS = 30 * MINUTE_MS;
const PERIODS = 48;
/** Deliveries that are counted of all webhooks of a response together, and of one at least. */
const [MOST_COUNTED, LEAST_COUNTED] = [10_000, 100];
/** Attempts of which the median is taken, of each webhook. */
const MOST_TIMED = 200;

type Health = Static<typeof WebhookHealth>;

function medianOf(durations: readonly number[]): number | null {
  const sorted = durations.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

async function healthOf(tx: Tx, { id: webhookId, ownerId }: WebhookRow, since: number, limit: number) {
  const webhook = { ownerId, webhookId };
  const after = await sequenceBefore(tx, webhook, since);
  const rows = await countLatest(tx, { ...webhook, after, since, periodMs: PERIOD_MS, limit });
  const timed = await listDurations(tx, { ...webhook, after, limit: MOST_TIMED });
  const isCut = rows.reduce((sum, { count }) => sum + count, 0) === limit;
  const periods = Array.from({ length: PERIODS }, (_, at) => {
    const count = (state: string) => rows.find((row) => row.period === at && row.state === state)?.count ?? 0;
    return {
      at: since + at * PERIOD_MS,
      delivered: count("delivered"),
      failed: count("failed"),
      pending: count("pending"),
    };
  });
  return {
    countedSince: isCut ? Math.min(...rows.map(({ oldestAt }) => oldestAt)) : since,
    periods,
    medianMs: medianOf(timed.filter(({ status }) => status !== null).map(({ durationMs }) => durationMs)),
  };
}

/** The health of some webhooks, by their ids, if the query asks for it. */
export async function findHealth(
  tx: Tx,
  call: Pick<Call, "now"> & { readonly query: { readonly withHealth?: boolean } },
  webhooks: readonly WebhookRow[],
): Promise<ReadonlyMap<string, Health>> {
  const found = new Map<string, Health>();
  if (!call.query.withHealth) return found;
  const since = call.now - (call.now % PERIOD_MS) - (PERIODS - 1) * PERIOD_MS;
  const limit = Math.max(LEAST_COUNTED, Math.floor(MOST_COUNTED / Math.max(1, webhooks.length)));
  for (const webhook of webhooks) found.set(webhook.id, await healthOf(tx, webhook, since, limit));
  return found;
}

/** The member of a response. */
export function healthMember(found: ReadonlyMap<string, Health>, id: string): { readonly health?: Health } {
  const health = found.get(id);
  return health ? { health } : {};
}
