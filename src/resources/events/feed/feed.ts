// Reading an owner's events: which index answers a filter, and where a moment lies in the chain.
import type { Tx } from "../../../kernel/tx.ts";
import {
  findEvents,
  findEventsAt,
  findLastBefore,
  findSequences,
  findSizes,
  findSizesAt,
  findTypes,
} from "./feed-store.ts";
import type { Direction, EventRow, EventSize, Lead } from "./feed-store.ts";
import { findNthNewest } from "../store.ts";
import type { EventType } from "../types.ts";

// Of a thing's events: looking for more types than this one by one costs more than first asking which there are.
const MAX_TYPES_UNSEEN = 8;

/** What events must fit; null: any. */
export interface EventFilter {
  readonly types: readonly string[] | null;
  readonly entityId: string | null;
  readonly projectIds: readonly string[] | null;
  readonly principalId: string | null;
}

/** Events with `after < sequence < before`, at most `limit`, from the newest down or from the oldest up. */
export interface EventRange {
  readonly after: number;
  readonly before: number;
  readonly limit: number;
  readonly direction: Direction;
}

/** The filter that fits fewest events leads, with the ids that it asks for. */
function leadOf({ entityId, projectIds, principalId }: EventFilter): { lead: Lead; ids: readonly string[] } {
  if (entityId !== null) return { lead: "entity", ids: [entityId] };
  if (projectIds !== null) return { lead: "project", ids: projectIds };
  if (principalId !== null) return { lead: "principal", ids: [principalId] };
  return { lead: "type", ids: [""] };
}

/** The ranges of the index in which what fits lies, of a filter that does not fit all. */
async function streamsOf(tx: Tx, ownerId: string, { types }: EventFilter, lead: Lead, ids: readonly string[]) {
  if (types !== null && (lead === "type" || types.length <= MAX_TYPES_UNSEEN)) {
    return ids.flatMap((id) => types.map((type) => ({ type, lead: id })));
  }
  if (lead === "type") return [];
  const present = await findTypes[lead](tx, { ownerId, leads: JSON.stringify(ids.map((id) => ({ lead: id }))) });
  const wanted = new Set(types);
  return types === null ? present : present.filter(({ type }) => wanted.has(type));
}

export function fitsAll(filter: EventFilter): boolean {
  return Object.values(filter).every((value) => value === null);
}

/** The sequences of the events that fit a filter which does not fit all, as a JSON array; null when there are none. */
async function findFitting(tx: Tx, ownerId: string, filter: EventFilter, range: EventRange): Promise<string | null> {
  const { direction, ...bounds } = range;
  const { lead, ids } = leadOf(filter);
  const streams = await streamsOf(tx, ownerId, filter, lead, ids);
  const found = await findSequences[lead][direction](tx, {
    ownerId,
    ...bounds,
    streams: JSON.stringify(streams),
    projectIds: filter.projectIds && JSON.stringify(filter.projectIds),
    principalIds: filter.principalId === null ? null : JSON.stringify([filter.principalId]),
  });
  return found.length === 0 ? null : JSON.stringify(found.map(({ sequence }) => sequence));
}

function inOrder<T extends { readonly sequence: number }>(items: readonly T[], direction: Direction): T[] {
  return items.toSorted((a, b) => (direction === "newest" ? b.sequence - a.sequence : a.sequence - b.sequence));
}

/** The events of an owner that fit, in the order of the range's direction. */
export async function readEvents(
  tx: Tx,
  ownerId: string,
  filter: EventFilter,
  range: EventRange,
): Promise<readonly EventRow[]> {
  const { direction, ...bounds } = range;
  if (fitsAll(filter)) return await findEvents[direction](tx, { ownerId, ...bounds });
  const sequences = await findFitting(tx, ownerId, filter, range);
  if (sequences === null) return [];
  return inOrder(await findEventsAt(tx, { ownerId, sequences }), direction);
}

/** The sizes of the events that fit, from the oldest up. */
export async function findEventSizes(
  tx: Tx,
  ownerId: string,
  filter: EventFilter,
  range: Omit<EventRange, "direction">,
): Promise<readonly EventSize[]> {
  if (fitsAll(filter)) return await findSizes(tx, { ownerId, ...range });
  const sequences = await findFitting(tx, ownerId, filter, { ...range, direction: "oldest" });
  return sequences === null ? [] : inOrder(await findSizesAt(tx, { ownerId, sequences }), "oldest");
}

/** The events whose sizes those are, from the oldest up. */
export async function findEventRows(
  tx: Tx,
  ownerId: string,
  filter: EventFilter,
  sizes: readonly EventSize[],
): Promise<readonly EventRow[]> {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (!first || !last) return [];
  if (fitsAll(filter)) {
    const range = { after: first.sequence - 1, before: last.sequence + 1, limit: sizes.length };
    return await findEvents.oldest(tx, { ownerId, ...range });
  }
  const sequences = JSON.stringify(sizes.map(({ sequence }) => sequence));
  return inOrder(await findEventsAt(tx, { ownerId, sequences }), "oldest");
}

/** The sequence of the owner's last event before a moment; 0 when there is none. */
export async function sequenceBefore(tx: Tx, ownerId: string, time: number): Promise<number> {
  return (await findLastBefore(tx, { ownerId, time }))?.sequence ?? 0;
}

/** Whether the owner has more than `count` events of a type since a time (ms). */
export async function hasMoreEventsThan(
  tx: Tx,
  count: number,
  { ownerId, type }: { readonly ownerId: string; readonly type: EventType },
  since: number,
): Promise<boolean> {
  const found = await findNthNewest(tx, { ownerId, type, newer: count });
  return found !== undefined && found.created_at >= since;
}
