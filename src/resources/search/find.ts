// Finding the entries of a list that match a query, in the order of the list. A list is read in stretches: each is bounded,
// whatever was asked for and however many match, and others get their turn in between.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { PageBounds } from "../../kernel/pagination.ts";
import { FIRST_INDEXED, SEGMENT_SIZE, gramsOf, searchNeedleOf, segmentOf } from "../../kernel/text/search-text.ts";
import type { Awaitable, Tx } from "../../kernel/tx.ts";
import { findCandidates, findOrdinalAbove, findOrdinalBelow, listEntries } from "./store.ts";
import type { Entry } from "./store.ts";

/** Of how many matches a page is filled, where another filter lets few of them through. */
const MOST_MATCHES = 2_000;
/** The ids that are looked up together. */
const IDS_AT_ONCE = 100;
/** What the index may answer at once, whether it matches or only has the same trigrams. */
const MOST_CANDIDATES = 500;
/** Where little is found, the next stretch is longer, up to so many segments. */
const MOST_SEGMENTS = 32;

interface OrdinalRange {
  readonly from: number;
  readonly to: number;
}

interface Found {
  readonly entries: readonly Entry[];
  /** The ordinal at which the next stretch begins. */
  readonly next: number;
  /** How much the index had. */
  readonly candidates: number;
}

interface Search {
  readonly scope: string;
  readonly needle: string;
  readonly grams: readonly string[];
  readonly order: "asc" | "desc";
}

/** The stretch that begins at an ordinal, in the order of the search: some segments of the index, or what is in none. */
function stretchAt(at: number, { from, to }: OrdinalRange, order: "asc" | "desc", segments: number): OrdinalRange {
  const isIndexed = at >= FIRST_INDEXED;
  if (order === "desc") {
    const lowest = isIndexed ? Math.max(FIRST_INDEXED, (segmentOf(at) - segments + 1) * SEGMENT_SIZE) : 0;
    return { from: Math.max(from, lowest), to: at };
  }
  const highest = isIndexed ? (segmentOf(at) + segments) * SEGMENT_SIZE - 1 : FIRST_INDEXED - 1;
  return { from: at, to: Math.min(to, highest) };
}

async function searchStretch(
  tx: Tx,
  { scope, needle, grams, order }: Search,
  { from, to }: OrdinalRange,
): Promise<Found> {
  const after = order === "desc" ? from - 1 : to + 1;
  if (from < FIRST_INDEXED) {
    const entries = await listEntries[order](tx, { scope, from, to, needle, limit: FIRST_INDEXED });
    return { entries, next: after, candidates: 0 };
  }
  const candidates = await findCandidates(tx, order, { scope, from, to, grams }, MOST_CANDIDATES);
  candidates.sort((one, other) => (order === "desc" ? other.ordinal - one.ordinal : one.ordinal - other.ordinal));
  const last = candidates.length === MOST_CANDIDATES ? candidates.at(-1) : undefined;
  return {
    entries: candidates.filter(({ content }) => content.includes(needle)),
    next: last ? last.ordinal + (order === "desc" ? -1 : 1) : after,
    candidates: candidates.length,
  };
}

/** The ids of those in a list who match, in the order in which a page reads them, as many at a time as are found together. */
async function* findMatching(
  tx: Tx,
  { scope, query }: { readonly scope: string; readonly query: string },
  { after, before, isForward }: PageBounds,
): AsyncGenerator<readonly string[]> {
  const needle = searchNeedleOf(query);
  const search: Search = { scope, needle, grams: gramsOf(needle), order: isForward ? "asc" : "desc" };
  const lowest = await findOrdinalAbove(tx, { scope, position: after });
  const highest = await findOrdinalBelow(tx, { scope, position: before });
  if (!lowest || !highest) return;
  const whole: OrdinalRange = { from: lowest.ordinal, to: highest.ordinal };
  let segments = 1;
  for (let at = isForward ? whole.from : whole.to; at >= whole.from && at <= whole.to;) {
    const { entries, next, candidates } = await searchStretch(tx, search, stretchAt(at, whole, search.order, segments));
    if (entries.length > 0) yield entries.map(({ userId }) => userId);
    at = next;
    segments = candidates < MOST_CANDIDATES / 2 ? Math.min(2 * segments, MOST_SEGMENTS) : 1;
    await nextTurn();
  }
}

export interface FoundPage<R> {
  /** One more than the page holds when there are more. */
  readonly rows: readonly R[];
  /** The page ends early, and is not empty: what follows its last row has to be asked for. */
  readonly isCut: boolean;
}

/**
 * Fills a page with those who match a query. `read` answers the rows of some ids that the page may show, in its order. A page
 * is cut when that lets few through and it has one at least: an empty one would look like the end of the list.
 */
export async function fillPage<R>(
  tx: Tx,
  search: { readonly scope: string; readonly query: string },
  bounds: PageBounds,
  read: (ids: readonly string[]) => Promise<readonly R[]>,
): Promise<FoundPage<R>> {
  const rows: R[] = [];
  let matches = 0;
  for await (const found of findMatching(tx, search, bounds)) {
    for (let at = 0; at < found.length; at += IDS_AT_ONCE) {
      const ids = found.slice(at, at + IDS_AT_ONCE);
      rows.push(...(await read(ids)));
      if (rows.length > bounds.limit) return { rows, isCut: false };
      matches += ids.length;
      if (matches >= MOST_MATCHES && rows.length > 0) return { rows, isCut: true };
    }
  }
  return { rows, isCut: false };
}

/** Places of a list that one read goes through, where a filter has no index. */
const STRETCH = 2_000;
/** A page that has something ends after so many of these. */
const MOST_STRETCHES = 10;

/** How a list is read whose filter has no index. */
export interface FilteredList<R> {
  /** The place behind so many others between the bounds, in their order; undefined when there are no more. */
  findEdge(bounds: PageBounds, skip: number): Awaitable<number | undefined>;
  /** One more row than the page holds. */
  read(bounds: PageBounds): Awaitable<readonly R[]>;
}

/** Fills a page of a list that has to be gone through. */
export async function fillFiltered<R>(bounds: PageBounds, { findEdge, read }: FilteredList<R>): Promise<FoundPage<R>> {
  const rows: R[] = [];
  let left = bounds;
  for (let stretches = 1; ; stretches++) {
    const edge = await findEdge(left, STRETCH);
    const stretch = edge === undefined ? left : { ...left, ...(left.isForward ? { before: edge } : { after: edge }) };
    rows.push(...(await read(stretch)));
    if (edge === undefined || rows.length > bounds.limit) return { rows, isCut: false };
    if (rows.length > 0 && stretches >= MOST_STRETCHES) return { rows, isCut: true };
    // The place itself begins the next stretch.
    left = { ...left, ...(left.isForward ? { after: edge - 1 } : { before: edge + 1 }) };
    await nextTurn();
  }
}
