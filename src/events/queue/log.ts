// Reads the log of a webhook's deliveries by state, type and time. The log consists of the queue's own rows.
import type { Tx } from "../../platform/kernel/tx.ts";
import { findDeliveries, findDeliveriesAt, findFirstSince, findPresent, findSequences } from "./log-store.ts";
import type { DeliveryRow, Direction } from "./log-store.ts";
import { DELIVERY_STATES } from "./vocabulary.ts";
import type { DeliveryState, WebhookKey } from "./vocabulary.ts";

/** What deliveries must match; null: any. */
export interface DeliveryFilter {
  readonly states: readonly DeliveryState[] | null;
  readonly types: readonly string[] | null;
}

/** Deliveries with `after < sequence < before`, at most `limit`, from the newest down or from the oldest up. */
export interface DeliveryRange {
  readonly after: number;
  readonly before: number;
  readonly limit: number;
  readonly direction: Direction;
}

/** The sequence up to which the webhook's deliveries are of events before a time. */
export async function sequenceBefore(tx: Tx, webhook: WebhookKey, time: number): Promise<number> {
  return ((await findFirstSince(tx, { ...webhook, time }))?.sequence ?? 1) - 1;
}

/** The ranges of the index that hold what a filter matches, for a filter that does not match everything. */
export async function streamsOf(tx: Tx, webhook: WebhookKey, { states, types }: DeliveryFilter): Promise<string> {
  const wanted = JSON.stringify((states ?? DELIVERY_STATES).map((state) => ({ state })));
  const present = await findPresent(tx, { ...webhook, states: wanted });
  const requestedTypes = new Set(types);
  return JSON.stringify(types === null ? present : present.filter(({ type }) => requestedTypes.has(type)));
}

/** The matching deliveries to a webhook, in the direction of the range. */
export async function readDeliveries(
  tx: Tx,
  webhook: WebhookKey,
  filter: DeliveryFilter,
  { direction, ...bounds }: DeliveryRange,
): Promise<readonly DeliveryRow[]> {
  const range = { ...webhook, ...bounds };
  if (filter.states === null && filter.types === null) return await findDeliveries[direction](tx, range);
  const streams = await streamsOf(tx, webhook, filter);
  const found = await findSequences[direction](tx, { ...range, streams });
  if (found.length === 0) return [];
  const sequences = JSON.stringify(found.map(({ sequence }) => sequence));
  const rows = await findDeliveriesAt(tx, { ...webhook, sequences });
  return rows.toSorted((a, b) => (direction === "newest" ? b.sequence - a.sequence : a.sequence - b.sequence));
}
