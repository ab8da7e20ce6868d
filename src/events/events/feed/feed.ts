// Reads an owner's events: chooses the index for a filter, and finds the sequence of a time.
import type { Tx } from "../../../platform/kernel/tx.ts";
import {
  findEvents,
  findEventsAt,
  findLastBefore,
  findNarrowed,
  findSequences,
  findSizes,
  findSizesAt,
  findTypes,
} from "./feed-store.ts";
import type { Direction, EventRow, EventSize, Lead } from "./feed-store.ts";
import { findNthNewest } from "../store.ts";
import type { EventType } from "../types.ts";

/** With more types than this, reading which types an id has first costs less than a range for each type. */
const MAX_TYPES_UNREAD = 8;

/** The conditions that events must match; null: any. */
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

/** The leading column and ids of the most selective filter. */
function leadOf({ entityId, projectIds, principalId }: EventFilter): { lead: Lead; ids: readonly string[] } {
  if (entityId !== null) return { lead: "entity", ids: [entityId] };
  if (projectIds !== null) return { lead: "project", ids: projectIds };
  if (principalId !== null) return { lead: "principal", ids: [principalId] };
  return { lead: "type", ids: [""] };
}

/** The index ranges of a filter that does not match all events. */
async function streamsOf(tx: Tx, ownerId: string, { types }: EventFilter, lead: Lead, ids: readonly string[]) {
  if (types !== null && (lead === "type" || types.length <= MAX_TYPES_UNREAD)) {
    return ids.flatMap((id) => types.map((type) => ({ type, lead: id })));
  }
  if (lead === "type") return [];
  const present = await findTypes[lead](tx, { ownerId, leads: JSON.stringify(ids.map((id) => ({ lead: id }))) });
  const wanted = new Set(types);
  return types === null ? present : present.filter(({ type }) => wanted.has(type));
}

export function matchesAll(filter: EventFilter): boolean {
  return Object.values(filter).every((value) => value === null);
}

/** The sequences of the matches of a filter that does not match all events, as a JSON array; null when there are none. */
async function findMatches(tx: Tx, ownerId: string, filter: EventFilter, range: EventRange): Promise<string | null> {
  const { direction, ...bounds } = range;
  const { lead, ids } = leadOf(filter);
  const streams = await streamsOf(tx, ownerId, filter, lead, ids);
  const { projectIds, principalId } = filter;
  const isNarrowed =
    lead === "entity" ? (projectIds ?? principalId) !== null : lead === "project" && principalId !== null;
  const find = isNarrowed ? findNarrowed[lead as keyof typeof findNarrowed] : findSequences[lead];
  const found = await find[direction](tx, {
    ownerId,
    ...bounds,
    streams: JSON.stringify(streams),
    projectIds: projectIds && JSON.stringify(projectIds),
    principalIds: principalId === null ? null : JSON.stringify([principalId]),
  });
  return found.length === 0 ? null : JSON.stringify(found.map(({ sequence }) => sequence));
}

function inOrder<T extends { readonly sequence: number }>(items: readonly T[], direction: Direction): T[] {
  return items.toSorted((a, b) => (direction === "newest" ? b.sequence - a.sequence : a.sequence - b.sequence));
}

/** An owner's events that match, in the order of the range's direction. */
export async function readEvents(
  tx: Tx,
  ownerId: string,
  filter: EventFilter,
  range: EventRange,
): Promise<readonly EventRow[]> {
  const { direction, ...bounds } = range;
  if (matchesAll(filter)) return await findEvents[direction](tx, { ownerId, ...bounds });
  const sequences = await findMatches(tx, ownerId, filter, range);
  if (sequences === null) return [];
  return inOrder(await findEventsAt(tx, { ownerId, sequences }), direction);
}

/** The sizes of the matches, oldest first. */
export async function findEventSizes(
  tx: Tx,
  ownerId: string,
  filter: EventFilter,
  range: Omit<EventRange, "direction">,
): Promise<readonly EventSize[]> {
  if (matchesAll(filter)) return await findSizes(tx, { ownerId, ...range });
  const sequences = await findMatches(tx, ownerId, filter, { ...range, direction: "oldest" });
  return sequences === null ? [] : inOrder(await findSizesAt(tx, { ownerId, sequences }), "oldest");
}

/** The events that these sizes are of, oldest first. */
export async function findEventRows(
  tx: Tx,
  ownerId: string,
  filter: EventFilter,
  sizes: readonly EventSize[],
): Promise<readonly EventRow[]> {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (!first || !last) return [];
  if (matchesAll(filter)) {
    const range = { after: first.sequence - 1, before: last.sequence + 1, limit: sizes.length };
    return await findEvents.oldest(tx, { ownerId, ...range });
  }
  const sequences = JSON.stringify(sizes.map(({ sequence }) => sequence));
  return inOrder(await findEventsAt(tx, { ownerId, sequences }), "oldest");
}

/** The sequence of the owner's last event before a time; 0 when there is none. */
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
  return found !== undefined && found.createdAt >= since;
}
