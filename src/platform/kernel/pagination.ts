// Pages, newest first. Every item of a paginated list has a `position` that is unique in the list: its time in microseconds,
// increased by one where another item has that position. On the wire a cursor is a whole number, because public clients require
// one: milliseconds, or microseconds where items share a millisecond. So no item is repeated or missed.
import { Type } from "typebox";
import { fieldError } from "./errors.ts";
import { EPOCH_MS } from "./units.ts";

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;
/** Greater cursors are microseconds: this value is the year 2243 in milliseconds, and April 1970 in microseconds. */
export const MAX_CURSOR_MS = 8.64e12;
const MAX_CURSOR = MAX_CURSOR_MS * 1000;

const CURSOR = { ...EPOCH_MS, minimum: 0, maximum: MAX_CURSOR };

/** Query members of every paginated list. */
export const PAGE_QUERY = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: `Items per page; ${DEFAULT_LIMIT} by default.` }),
  ),
  since: Type.Optional(
    Type.Number({ ...CURSOR, description: "Only items newer than this cursor or time (ms or ISO 8601)." }),
  ),
  until: Type.Optional(
    Type.Number({ ...CURSOR, description: "Only items older than this cursor or time (ms or ISO 8601)." }),
  ),
};

export interface PageQuery {
  readonly limit?: number;
  readonly since?: number;
  readonly until?: number;
}

export const Pagination = Type.Object(
  {
    count: Type.Integer({ description: "Number of items on this page." }),
    next: Type.Unsafe<number | null>({
      type: ["number", "null"],
      description: "Cursor for `until`: the next, older page.",
    }),
    prev: Type.Unsafe<number | null>({
      type: ["number", "null"],
      description: "Cursor for `since`: what came after this page.",
    }),
  },
  { title: "Pagination" },
);

export interface Page {
  readonly count: number;
  readonly next: number | null;
  readonly prev: number | null;
}

/** A query member and its value, with which the same request returns another page. */
export interface PageCursor {
  readonly name: string;
  readonly value: number | string;
}

export interface PageLinks {
  readonly next: PageCursor | null;
  readonly prev: PageCursor | null;
  /** Query members that a cursor replaces. */
  readonly replaced: readonly string[];
}

/** The links of a list that goes on after the item with an id; undefined: this is the last page. */
export function offsetLinks(id: string | undefined): PageLinks {
  return { next: id === undefined ? null : { name: "offset", value: id }, prev: null, replaced: ["offset"] };
}

/** The links of a page that is bounded by `since` and `until`. */
export function pageLinks({ next, prev }: Page): PageLinks {
  return {
    next: next === null ? null : { name: "until", value: next },
    prev: prev === null ? null : { name: "since", value: prev },
    replaced: ["until", "since", "next"],
  };
}

/** The bounds of a page in positions: rows with `after < position < before`. */
export interface PageBounds {
  readonly limit: number;
  readonly after: number;
  readonly before: number;
  /** `since` alone reads the oldest newer items first, so that following `prev` skips nothing. */
  readonly isForward: boolean;
}

export function positionAt(timeMs: number): number {
  return Math.round(timeMs * 1000);
}

function cursorAt(position: number): number {
  return position % 1000 === 0 ? position / 1000 : position;
}

function positionOf(cursor: number): number {
  return cursor > MAX_CURSOR_MS ? Math.round(cursor) : positionAt(cursor);
}

export function paginationBounds(query: PageQuery): PageBounds {
  const { limit = DEFAULT_LIMIT, since, until } = query;
  const after = since === undefined ? -1 : positionOf(since);
  const before = until === undefined ? Number.MAX_SAFE_INTEGER : positionOf(until);
  if (after > before) throw fieldError("invalid_cursor", "query.since", "expected at most the value of until");
  return {
    limit,
    after,
    before,
    isForward: since !== undefined && until === undefined,
  };
}

/**
 * Makes a page, newest first, of rows that were read with one more than the limit. `rows` are newest first, or oldest first when
 * `bounds.isForward`. `isCut`: the read stopped before the limit although there may be more rows.
 */
export function paginate<R extends { position: number }>(
  rows: readonly R[],
  bounds: PageBounds,
  isCut = false,
): { readonly items: R[]; readonly page: Page } {
  const items = rows.slice(0, bounds.limit);
  const isMore = isCut || rows.length > bounds.limit;
  if (bounds.isForward) items.reverse();
  const newest = items[0];
  const oldest = items.at(-1);
  const hasOlder = bounds.isForward || isMore;
  return {
    items,
    page: {
      count: items.length,
      next: hasOlder && oldest ? cursorAt(oldest.position) : null,
      prev: newest ? cursorAt(newest.position) : null,
    },
  };
}
