// Fills a page of a sorted list. Where a filter has no index, it reads the list in ranges of a bounded number of rows, and yields to other
// work between them.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Place, PlaceRange } from "../../kernel/sorted-pagination.ts";
import type { Awaitable } from "../../kernel/tx.ts";

/** How many rows of a list the first read examines. Each later one examines twice as many as the one before, up to a limit. */
const FIRST_BATCH = 250;
const MAX_BATCH = 2_000;
/** How many rows are held against the patterns of a credential in one turn of the event loop. */
const KNOWN_BATCH = 100;
/** A page with results ends after this number of batches. */
const MAX_BATCHES = 10;

/** How many rows the read of this number examines, counted from 1. */
export const batchSize = (batches: number) => Math.min(FIRST_BATCH * 2 ** (batches - 1), MAX_BATCH);

export interface SortedList<R> {
  /** The first matching rows of a range. */
  read(range: PlaceRange, limit: number): Awaitable<readonly R[]>;
  /** Where a read may examine many rows of which it returns few: the place behind the first rows of a range, if there are more. */
  findPlace?: ((range: PlaceRange, skip: number) => Awaitable<Place | undefined>) | undefined;
  placeOf(row: R): Place;
  /** Those of some rows that the page shows; absent: all. */
  choose?: ((rows: readonly R[]) => Awaitable<readonly R[]>) | undefined;
  /** Few of the rows may be chosen, so more are read at once. */
  readonly isSparse?: boolean;
}

export interface SortedRows<R> {
  readonly rows: readonly R[];
  /** Where the list goes on; null: it ends here. */
  readonly next: Place | null;
}

/** Those that the caller may know of. */
export async function filterKnown<R>(rows: readonly R[], isKnown: (row: R) => boolean): Promise<R[]> {
  const known: R[] = [];
  for (let at = 0; at < rows.length; at += KNOWN_BATCH) {
    if (at > 0) await nextTurn();
    known.push(...rows.slice(at, at + KNOWN_BATCH).filter(isKnown));
  }
  return known;
}

/** The rows of a page. It is cut short once it has rows when a filter excludes most of the list. */
export async function fillSorted<R>(list: SortedList<R>, whole: PlaceRange, limit: number): Promise<SortedRows<R>> {
  const rows: R[] = [];
  let range = whole;
  for (let batches = 1; ; batches++) {
    const size = batchSize(batches);
    const end = await list.findPlace?.(range, size - 1);
    const asked = list.isSparse ? size : limit + 1 - rows.length;
    const batch = await list.read(end ? { ...range, to: end } : range, asked);
    rows.push(...(list.choose ? await list.choose(batch) : batch));
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: list.placeOf(rows[limit - 1] as R) };
    const rest = batch.length === asked ? list.placeOf(batch.at(-1) as R) : end;
    if (!rest) return { rows, next: null };
    if (rows.length > 0 && batches >= MAX_BATCHES) return { rows, next: rest };
    range = { ...range, from: rest };
    await nextTurn();
  }
}
