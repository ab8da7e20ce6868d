// The feed of the whole instance, for administrators: the events of every owner, newest first. It is for looking, not for
// catching up: each chain is in order, but who commits last is not always who began last.
import { DEFAULT_LIMIT } from "../../../kernel/pagination.ts";
import type { Tx } from "../../../kernel/tx.ts";
import type { EventRow } from "./feed-store.ts";
import { fitsAll } from "./feed.ts";
import type { EventFilter } from "./feed.ts";
import { invalidQuery, readFilter, readTimes } from "./filter.ts";
import type { FeedQuery } from "./filter.ts";
import { findAtPositions, findBefore } from "./instance-store.ts";
import type { InstanceEntry, InstancePosition } from "./instance-store.ts";

/** So many events a page looks at for those that fit its filter; the next page goes on from there. */
const MAX_LOOKED_AT = 2_000;
/** So many in one read of those, since the page may soon be full. */
const BATCH = 500;

/** What only one chain has. */
const OF_ONE_CHAIN = ["after", "before", "form"] as const satisfies readonly (keyof FeedQuery)[];

export interface InstancePage {
  readonly rows: readonly EventRow[];
  /** Where the next page begins; null: there is none. */
  readonly cursor: string | null;
}

function cursorAt({ createdAt, ownerId, sequence }: InstancePosition): string {
  return `${createdAt}.${ownerId}.${sequence}`;
}

function parseCursor(cursor: string): InstancePosition {
  const [createdAt, ownerId, sequence] = cursor.split(".") as [string, string, string];
  return { createdAt: Number(createdAt), ownerId, sequence: Number(sequence) };
}

function isBefore(one: InstancePosition, other: InstancePosition): boolean {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt;
  if (one.ownerId !== other.ownerId) return one.ownerId < other.ownerId;
  return one.sequence < other.sequence;
}

/** Where a query begins to read, going down. */
function startOf(until: number, cursor: string | undefined): InstancePosition {
  const first = { createdAt: until === Number.MAX_SAFE_INTEGER ? until : until + 1, ownerId: "", sequence: 0 };
  const place = cursor === undefined ? first : parseCursor(cursor);
  return isBefore(place, first) ? place : first;
}

function fits({ types, entityId, projectIds, principalId }: EventFilter, entry: InstanceEntry): boolean {
  return (
    (types === null || types.includes(entry.type)) &&
    (entityId === null || entry.entityId === entityId) &&
    (projectIds === null || (entry.projectId !== null && projectIds.includes(entry.projectId))) &&
    (principalId === null || entry.principalId === principalId)
  );
}

async function readRows(tx: Tx, entries: readonly InstanceEntry[]): Promise<readonly EventRow[]> {
  const places = entries.map(({ ownerId, sequence }) => ({ ownerId, sequence }));
  const rows = await findAtPositions(tx, { places: JSON.stringify(places) });
  const byPlace = new Map(rows.map((row) => [`${row.owner_id}.${row.sequence}`, row]));
  return entries.flatMap(({ ownerId, sequence }) => byPlace.get(`${ownerId}.${sequence}`) ?? []);
}

/** A page of the events of all owners; it may be short, or empty, and still lead on. */
export async function readInstancePage(tx: Tx, query: FeedQuery): Promise<InstancePage> {
  const stray = OF_ONE_CHAIN.find((member) => query[member] !== undefined);
  if (stray !== undefined) throw invalidQuery(stray, "expected only without instance=true, which is no one chain");
  const { limit = DEFAULT_LIMIT, cursor } = query;
  const filter = readFilter(query);
  const { since = 0, until = Number.MAX_SAFE_INTEGER } = readTimes(query);
  const batch = fitsAll(filter) ? limit + 1 : BATCH;
  const found: InstanceEntry[] = [];
  let at = startOf(until, cursor);
  let isMore = true;
  for (let looked = 0; isMore && found.length <= limit && looked < MAX_LOOKED_AT; looked += batch) {
    const entries = await findBefore(tx, { ...at, since, limit: batch });
    found.push(...entries.filter((entry) => fits(filter, entry)));
    isMore = entries.length === batch;
    at = entries.at(-1) ?? at;
  }
  const shown = found.slice(0, limit);
  const rest = found.length > limit;
  if (rest) at = shown.at(-1) as InstanceEntry;
  return { rows: await readRows(tx, shown), cursor: rest || isMore ? cursorAt(at) : null };
}
