// Reading the log of a webhook: which deliveries a filter asks for, and where a moment lies among them.
import type { Static } from "typebox";
import type { Tx } from "../../../kernel/tx.ts";
import { invalidQuery, readPatterns, splitList, typesOf } from "../../events/feed/filter.ts";
import { findDeliveries, findDeliveriesAt, findFirstSince, findPresent, findSequences } from "./delivery-log-store.ts";
import type { DeliveryRow, Direction } from "./delivery-log-store.ts";
import { DELIVERY_STATES } from "./delivery-schema.ts";
import type { DeliveriesQuery, DeliveryState } from "./delivery-schema.ts";

export type LogQuery = Static<typeof DeliveriesQuery>;

/** What deliveries must fit; null: any. */
export interface DeliveryFilter {
  readonly states: readonly DeliveryState[] | null;
  readonly types: readonly string[] | null;
}

export interface OfWebhook {
  readonly ownerId: string;
  readonly webhookId: string;
}

/** Deliveries with `after < sequence < before`, at most `limit`, from the newest down or from the oldest up. */
export interface DeliveryRange {
  readonly after: number;
  readonly before: number;
  readonly limit: number;
  readonly direction: Direction;
}

function isState(name: string): name is DeliveryState {
  return (DELIVERY_STATES as readonly string[]).includes(name);
}

function readStates({ state }: LogQuery): readonly DeliveryState[] | null {
  const names = splitList(state);
  if (!names.every(isState)) throw invalidQuery("state", `expected names out of ${DELIVERY_STATES.join(", ")}`);
  return names.length === 0 || names.length === DELIVERY_STATES.length ? null : names;
}

export function readFilter(query: LogQuery): DeliveryFilter {
  return { states: readStates(query), types: typesOf(readPatterns("type", query.type)) };
}

/** The sequence up to which the webhook's deliveries are of events before a moment. */
export async function sequenceBefore(tx: Tx, webhook: OfWebhook, time: number): Promise<number> {
  return ((await findFirstSince(tx, { ...webhook, time }))?.sequence ?? 1) - 1;
}

/** The ranges of the index in which what fits lies, of a filter that does not fit all. */
async function streamsOf(tx: Tx, webhook: OfWebhook, { states, types }: DeliveryFilter): Promise<string> {
  const wanted = JSON.stringify((states ?? DELIVERY_STATES).map((state) => ({ state })));
  const present = await findPresent(tx, { ...webhook, states: wanted });
  const asked = new Set(types);
  return JSON.stringify(types === null ? present : present.filter(({ type }) => asked.has(type)));
}

/** The deliveries to a webhook that fit, in the order of the range's direction. */
export async function readDeliveries(
  tx: Tx,
  webhook: OfWebhook,
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
