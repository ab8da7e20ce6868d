// Reading an owner's events: which index answers a filter, and where a moment lies in the chain.
import type { Tx } from "../../kernel/tx.ts";
import { findEvents, findEventsAt, findLastBefore, findSequences, findTypes } from "./feed-store.ts";
import type { Direction, EventRow, Lead } from "./feed-store.ts";

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

/** The ranges of the index in which what fits lies. */
async function streamsOf(tx: Tx, ownerId: string, { types }: EventFilter, lead: Lead, ids: readonly string[]) {
  if (types !== null && (lead === "type" || types.length <= MAX_TYPES_UNSEEN)) {
    return ids.flatMap((id) => types.map((type) => ({ type, lead: id })));
  }
  if (lead === "type") return null;
  const present = await findTypes[lead](tx, { ownerId, leads: JSON.stringify(ids.map((id) => ({ lead: id }))) });
  const wanted = new Set(types);
  return types === null ? present : present.filter(({ type }) => wanted.has(type));
}

/** The events of an owner that fit, in the order of the range's direction. */
export async function readEvents(
  tx: Tx,
  ownerId: string,
  filter: EventFilter,
  range: EventRange,
): Promise<readonly EventRow[]> {
  const { direction, ...bounds } = range;
  const { lead, ids } = leadOf(filter);
  const streams = await streamsOf(tx, ownerId, filter, lead, ids);
  if (streams === null) return await findEvents[direction](tx, { ownerId, ...bounds });
  const found = await findSequences[lead][direction](tx, {
    ownerId,
    ...bounds,
    streams: JSON.stringify(streams),
    projectIds: filter.projectIds && JSON.stringify(filter.projectIds),
    principalIds: filter.principalId === null ? null : JSON.stringify([filter.principalId]),
  });
  if (found.length === 0) return [];
  const sequences = JSON.stringify(found.map(({ sequence }) => sequence));
  const rows = await findEventsAt(tx, { ownerId, sequences });
  return rows.toSorted((a, b) => (direction === "newest" ? b.sequence - a.sequence : a.sequence - b.sequence));
}

/** The sequence of the owner's last event before a moment; 0 when there is none. */
export async function sequenceBefore(tx: Tx, ownerId: string, time: number): Promise<number> {
  return (await findLastBefore(tx, { ownerId, time }))?.sequence ?? 0;
}
