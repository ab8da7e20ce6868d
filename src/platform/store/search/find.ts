// Finds the entries of a list that match a query, in the order of the list. It reads a list in bounded ranges of ordinals,
// whatever the query and however many entries match, and yields to other work between them.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { PageBounds } from "../../kernel/pagination.ts";
import { FIRST_INDEXED, SEGMENT_SIZE, gramsOf, segmentOf } from "../../kernel/text/search-text.ts";
import type { Awaitable, Tx } from "../../kernel/tx.ts";
import type { Candidate } from "../search-index.ts";
import { batchSize } from "./sorted-page.ts";
import { findCandidates, findOrdinalAbove, findOrdinalBelow, listAmong, listEntries } from "./store.ts";

/** A page with results ends after this number of matches, when another filter excludes most of them. */
const MAX_MATCHES = 2_000;
/** How many ids are looked up together. */
const ID_BATCH = 100;
/** How many entries one query of the index returns: matches, and entries that only have the same trigrams. */
const MAX_CANDIDATES = 500;
/** After a range with few candidates the next one is twice as long, up to this number of segments. */
const MAX_SEGMENTS = 32;

const WHOLE_LIST = { after: -1, before: Number.MAX_SAFE_INTEGER } as const;

interface OrdinalRange {
  readonly from: number;
  readonly to: number;
}

interface Found {
  readonly entries: readonly Candidate[];
  /** The ordinal at which the next range begins. */
  readonly next: number;
  /** How many entries the index returned. */
  readonly candidates: number;
}

/** What is looked for, in which list. */
interface Searched {
  readonly scope: string;
  /** One or two texts of three characters at least, of which an entry contains one. */
  readonly needles: readonly string[];
}

interface Search extends Searched {
  readonly grams: readonly (readonly string[])[];
  readonly order: "asc" | "desc";
}

/** The range that begins at an ordinal, in the order of the search: some segments of the index, or all that is not indexed. */
function rangeAt(at: number, { from, to }: OrdinalRange, order: "asc" | "desc", segments: number): OrdinalRange {
  const isIndexed = at >= FIRST_INDEXED;
  if (order === "desc") {
    const lowest = isIndexed ? Math.max(FIRST_INDEXED, (segmentOf(at) - segments + 1) * SEGMENT_SIZE) : 0;
    return { from: Math.max(from, lowest), to: at };
  }
  const highest = isIndexed ? (segmentOf(at) + segments) * SEGMENT_SIZE - 1 : FIRST_INDEXED - 1;
  return { from: at, to: Math.min(to, highest) };
}

async function searchRange(
  tx: Tx,
  { scope, needles, grams, order }: Search,
  { from, to }: OrdinalRange,
): Promise<Found> {
  const after = order === "desc" ? from - 1 : to + 1;
  if (from < FIRST_INDEXED) {
    const [needle = "", other = needle] = needles;
    const entries = await listEntries[order](tx, { scope, from, to, needle, other, limit: FIRST_INDEXED });
    return { entries, next: after, candidates: 0 };
  }
  const candidates = await findCandidates(tx, order, { scope, from, to, grams }, MAX_CANDIDATES);
  candidates.sort((one, other) => (order === "desc" ? other.ordinal - one.ordinal : one.ordinal - other.ordinal));
  const last = candidates.length === MAX_CANDIDATES ? candidates.at(-1) : undefined;
  return {
    entries: candidates.filter(({ content }) => needles.some((needle) => content.includes(needle))),
    next: last ? last.ordinal + (order === "desc" ? -1 : 1) : after,
    candidates: candidates.length,
  };
}

interface Matches {
  /** Of the items whose entries match. */
  readonly ids: readonly string[];
  /** How many entries the index returned for them. */
  readonly candidates: number;
}

/** The matches of a list, in the order of the page, range by range. */
async function* findMatching(
  tx: Tx,
  { scope, needles }: Searched,
  { after, before, isForward }: Pick<PageBounds, "after" | "before" | "isForward">,
): AsyncGenerator<Matches> {
  const search: Search = { scope, needles, grams: needles.map(gramsOf), order: isForward ? "asc" : "desc" };
  const lowest = await findOrdinalAbove(tx, { scope, position: after });
  const highest = await findOrdinalBelow(tx, { scope, position: before });
  if (!lowest || !highest) return;
  const whole: OrdinalRange = { from: lowest.ordinal, to: highest.ordinal };
  let segments = 1;
  for (let at = isForward ? whole.from : whole.to; at >= whole.from && at <= whole.to;) {
    const { entries, next, candidates } = await searchRange(tx, search, rangeAt(at, whole, search.order, segments));
    yield { ids: entries.map(({ userId }) => userId), candidates };
    at = next;
    segments = candidates < MAX_CANDIDATES / 2 ? Math.min(2 * segments, MAX_SEGMENTS) : 1;
    await nextTurn();
  }
}

export interface FoundPage<R> {
  /** One row more than the page holds when there are more. */
  readonly rows: readonly R[];
  /** The page ends early and is not empty; more rows may follow its last row. */
  readonly isCut: boolean;
}

/**
 * Fills a page with the matches of a query. `read` returns the rows of some ids that the page may show, in its order. When `read`
 * excludes most matches, the page is cut once it has a row: an empty page would look like the end of the list.
 */
export async function fillPage<R>(
  tx: Tx,
  search: Searched,
  bounds: PageBounds,
  read: (ids: readonly string[]) => Promise<readonly R[]>,
): Promise<FoundPage<R>> {
  const rows: R[] = [];
  let matches = 0;
  for await (const { ids: found } of findMatching(tx, search, bounds)) {
    for (let at = 0; at < found.length; at += ID_BATCH) {
      const ids = found.slice(at, at + ID_BATCH);
      rows.push(...(await read(ids)));
      if (rows.length > bounds.limit) return { rows, isCut: false };
      matches += ids.length;
      if (matches >= MAX_MATCHES && rows.length > 0) return { rows, isCut: true };
    }
  }
  return { rows, isCut: false };
}

/** The ids of all items of a list that match, for a list in another order; null: they are many, or the index does not tell. */
export async function findFew(tx: Tx, search: Searched, most: number): Promise<readonly string[] | null> {
  const few: string[] = [];
  let examined = 0;
  for await (const { ids, candidates } of findMatching(tx, search, { ...WHOLE_LIST, isForward: false })) {
    few.push(...ids);
    examined += candidates;
    if (few.length > most || examined > 2 * most) return null;
  }
  return few;
}

/** The ids of those items that match, of some hundred. */
export async function findAmong(tx: Tx, { scope, needles }: Searched, ids: readonly string[]): Promise<string[]> {
  const [needle = "", other = needle] = needles;
  return (await listAmong(tx, { scope, ids: JSON.stringify(ids), needle, other })).map(({ userId }) => userId);
}

/** How many rows of a list one read examines for a caller who may know of some. */
const KNOWN_ROWS = 2_000;
/** How many rows are held against the patterns of a credential in one turn of the event loop. */
const KNOWN_BATCH = 100;
/** A page with results ends after this number of batches. */
const MAX_FILTER_BATCHES = 10;

/** A list that is filtered without an index. */
export interface FilteredList<R> {
  /** The position after `skip` rows between the bounds, in their order; undefined when there are no more. */
  findPosition(bounds: PageBounds, skip: number): Awaitable<number | undefined>;
  /** One more row than the page holds. */
  read(bounds: PageBounds): Awaitable<readonly R[]>;
}

/** Fills a page of a list that is filtered without an index. */
export async function paginateFiltered<R>(
  bounds: PageBounds,
  { findPosition, read }: FilteredList<R>,
): Promise<FoundPage<R>> {
  const rows: R[] = [];
  let left = bounds;
  for (let batches = 1; ; batches++) {
    const end = await findPosition(left, batchSize(batches));
    const batch = end === undefined ? left : { ...left, ...(left.isForward ? { before: end } : { after: end }) };
    rows.push(...(await read(batch)));
    if (end === undefined || rows.length > bounds.limit) return { rows, isCut: false };
    if (rows.length > 0 && batches >= MAX_FILTER_BATCHES) return { rows, isCut: true };
    // The row at that position begins the next batch.
    left = { ...left, ...(left.isForward ? { after: end - 1 } : { before: end + 1 }) };
    await nextTurn();
  }
}

/**
 * Fills a page of a list with the rows that the caller may know of: `read` returns one more row than a page holds, in the order of the
 * bounds.
 */
export async function paginateKnown<R extends { readonly position: number }>(
  bounds: PageBounds,
  read: (bounds: PageBounds) => Awaitable<readonly R[]>,
  isKnown: (row: R) => boolean,
): Promise<FoundPage<R>> {
  const rows: R[] = [];
  let left = { ...bounds, limit: KNOWN_ROWS - 1 };
  for (let batches = 1; ; batches++) {
    const batch = await read(left);
    for (let at = 0; at < batch.length; at += KNOWN_BATCH) {
      if (at > 0) await nextTurn();
      rows.push(...batch.slice(at, at + KNOWN_BATCH).filter(isKnown));
    }
    const last = batch.at(-1);
    if (batch.length < KNOWN_ROWS || last === undefined || rows.length > bounds.limit) return { rows, isCut: false };
    if (rows.length > 0 && batches >= MAX_FILTER_BATCHES) return { rows, isCut: true };
    left = { ...left, ...(left.isForward ? { after: last.position } : { before: last.position }) };
    await nextTurn();
  }
}
