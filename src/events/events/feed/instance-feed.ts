// The feed of the whole instance, for administrators: the events of every owner, newest first. Clients cannot catch up with
// it: each chain is in order, but transactions of different owners may commit in another order than they began.
import { DEFAULT_LIMIT } from "../../../platform/kernel/pagination.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import type { EventRow } from "./feed-store.ts";
import { matches, matchesAll } from "./feed.ts";
import { invalidQuery, readFilter, readTimes } from "./filter.ts";
import type { FeedQuery } from "./filter.ts";
import { findAtPositions, findBefore } from "./instance-store.ts";
import type { InstanceEntry, InstancePosition } from "./instance-store.ts";

/** How many events a page examines for matches of its filter. The next page continues from there. */
const MAX_EXAMINED = 2_000;
/** How many events one read examines, since the page may be full before all are needed. */
const BATCH = 500;

/** The parameters that need one owner's chain. */
const CHAIN_PARAMETERS = ["after", "before", "form"] as const satisfies readonly (keyof FeedQuery)[];

export interface InstancePage {
  readonly rows: readonly EventRow[];
  /** The cursor of the next page; null when there is none. */
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

/** The position before which a query reads, newest first. */
function startOf(until: number, cursor: string | undefined): InstancePosition {
  const first = { createdAt: until === Number.MAX_SAFE_INTEGER ? until : until + 1, ownerId: "", sequence: 0 };
  const position = cursor === undefined ? first : parseCursor(cursor);
  return isBefore(position, first) ? position : first;
}

async function readRows(tx: Tx, entries: readonly InstanceEntry[]): Promise<readonly EventRow[]> {
  const positions = entries.map(({ ownerId, sequence }) => ({ ownerId, sequence }));
  const rows = await findAtPositions(tx, { positions: JSON.stringify(positions) });
  const byPosition = new Map(rows.map((row) => [`${row.ownerId}.${row.sequence}`, row]));
  return entries.flatMap(({ ownerId, sequence }) => byPosition.get(`${ownerId}.${sequence}`) ?? []);
}

/** A page of the events of all owners. It may be short or empty and still have a next page. */
export async function readInstancePage(tx: Tx, query: FeedQuery): Promise<InstancePage> {
  const stray = CHAIN_PARAMETERS.find((member) => query[member] !== undefined);
  if (stray !== undefined) throw invalidQuery(stray, "expected only without instance=true, which is no one chain");
  const { limit = DEFAULT_LIMIT, cursor } = query;
  const filter = readFilter(query);
  const { since = 0, until = Number.MAX_SAFE_INTEGER } = readTimes(query);
  const batch = matchesAll(filter) ? limit + 1 : BATCH;
  const found: InstanceEntry[] = [];
  let at = startOf(until, cursor);
  let hasMore = true;
  for (let examined = 0; hasMore && found.length <= limit && examined < MAX_EXAMINED; examined += batch) {
    const entries = await findBefore(tx, { ...at, since, limit: batch });
    found.push(...entries.filter((entry) => matches(filter, entry)));
    hasMore = entries.length === batch;
    at = entries.at(-1) ?? at;
  }
  const shown = found.slice(0, limit);
  const isFull = found.length > limit;
  if (isFull) at = shown.at(-1) as InstanceEntry;
  return { rows: await readRows(tx, shown), cursor: isFull || hasMore ? cursorAt(at) : null };
}
