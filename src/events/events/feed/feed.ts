// Reads an owner's events: chooses the index for a filter, and finds the sequence of a time.
import type { Tx } from "../../../platform/kernel/tx.ts";
import {
  findCompared,
  findEvents,
  findEventsAt,
  findKeyed,
  findLastBefore,
  findSequences,
  findSizes,
  findSizesAt,
  findTypes,
} from "./feed-store.ts";
import type { ComparedEvent, Direction, EventRow, EventSize, FindSequences, IdLead, Lead } from "./feed-store.ts";
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

/** The ids of a filter that an index leads with, the one with the fewest types first. */
function leadsOf({
  entityId,
  projectIds,
  principalId,
}: EventFilter): (readonly [lead: IdLead, ids: readonly string[]])[] {
  return [
    ...(entityId === null ? [] : [["entity", [entityId]] as const]),
    ...(projectIds === null ? [] : [["project", projectIds] as const]),
    ...(principalId === null ? [] : [["principal", [principalId]] as const]),
  ];
}

type Stream = Readonly<Partial<Record<Lead, string>>>;

/** A stream for each type that events under an id may have. */
async function typesUnder(
  tx: Tx,
  ownerId: string,
  types: readonly string[] | null,
  [lead, ids]: readonly [lead: IdLead, ids: readonly string[]],
): Promise<Stream[]> {
  if (types !== null && types.length <= MAX_TYPES_UNREAD) {
    return ids.flatMap((id) => types.map((type) => ({ type, [lead]: id })));
  }
  const present = await findTypes[lead](tx, { ownerId, leads: JSON.stringify(ids.map((id) => ({ lead: id }))) });
  const wanted = new Set(types);
  return present
    .filter(({ type }) => types === null || wanted.has(type))
    .map(({ lead: id, type }) => ({ type, [lead]: id }));
}

/** The index ranges of a filter that does not match all events. */
async function streamsOf(tx: Tx, ownerId: string, filter: EventFilter): Promise<Stream[]> {
  const { types } = filter;
  const [first, ...others] = leadsOf(filter);
  if (!first) return (types ?? []).map((type) => ({ type }));
  let streams = await typesUnder(tx, ownerId, types, first);
  for (const [lead, ids] of others) streams = streams.flatMap((stream) => ids.map((id) => ({ ...stream, [lead]: id })));
  return streams;
}

export function matchesAll(filter: EventFilter): boolean {
  return Object.values(filter).every((value) => value === null);
}

export function matches({ types, entityId, projectIds, principalId }: EventFilter, event: ComparedEvent): boolean {
  return (
    (types === null || types.includes(event.type)) &&
    (entityId === null || event.entityId === entityId) &&
    (projectIds === null || (event.projectId !== null && projectIds.includes(event.projectId))) &&
    (principalId === null || event.principalId === principalId)
  );
}

/** The matches in the indexes. */
async function findInKeys(tx: Tx, ownerId: string, filter: EventFilter, range: EventRange): Promise<readonly number[]> {
  const { direction, ...bounds } = range;
  if (bounds.limit <= 0 || bounds.after + 1 >= bounds.before) return [];
  const name =
    leadsOf(filter)
      .map(([lead]) => lead)
      .join("-") || "type";
  const streams = JSON.stringify(await streamsOf(tx, ownerId, filter));
  const found = await (findSequences[name] as FindSequences)[direction](tx, { ownerId, ...bounds, streams });
  return found.map(({ sequence }) => sequence);
}

/** Above this sequence, an owner's events are in no index of a filter. */
async function findKeyedThrough(tx: Tx, ownerId: string): Promise<number> {
  if (tx.engine === "postgres") return Number.MAX_SAFE_INTEGER;
  return (await findKeyed(tx, { ownerId }))?.through ?? 0;
}

/** The matches that are in no index, in the order of the range's direction. */
async function findUnkeyed(
  tx: Tx,
  ownerId: string,
  filter: EventFilter,
  range: EventRange,
): Promise<readonly number[]> {
  const { after, before, direction } = range;
  if (after + 1 >= before) return [];
  const events = await findCompared(tx, { ownerId, after, before });
  return inOrder(
    events.filter((event) => matches(filter, event)),
    direction,
  ).map(({ sequence }) => sequence);
}

/** The sequences of the matches of a filter that does not match all events. */
async function findMatches(
  tx: Tx,
  ownerId: string,
  filter: EventFilter,
  range: EventRange,
): Promise<readonly number[]> {
  const { after, before, limit, direction } = range;
  const through = await findKeyedThrough(tx, ownerId);
  const keyed = { ...range, before: Math.min(before, through + 1) };
  const unkeyed = { ...range, after: Math.max(after, through) };
  if (direction === "newest") {
    const newest = (await findUnkeyed(tx, ownerId, filter, unkeyed)).slice(0, limit);
    return [...newest, ...(await findInKeys(tx, ownerId, filter, { ...keyed, limit: limit - newest.length }))];
  }
  const oldest = await findInKeys(tx, ownerId, filter, keyed);
  if (oldest.length === limit) return oldest;
  return [...oldest, ...(await findUnkeyed(tx, ownerId, filter, unkeyed))].slice(0, limit);
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
  if (sequences.length === 0) return [];
  return inOrder(await findEventsAt(tx, { ownerId, sequences: JSON.stringify(sequences) }), direction);
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
  if (sequences.length === 0) return [];
  return inOrder(await findSizesAt(tx, { ownerId, sequences: JSON.stringify(sequences) }), "oldest");
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
  const filter = { types: [type], entityId: null, projectIds: null, principalId: null };
  const after = await sequenceBefore(tx, ownerId, since);
  const range = { after, before: Number.MAX_SAFE_INTEGER, limit: count + 1, direction: "newest" } as const;
  return (await findMatches(tx, ownerId, filter, range)).length > count;
}
