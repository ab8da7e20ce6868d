// Pages of lists in another order than that of their positions, such as by name. An item's place is its key in that order and its
// position, which is unique; a cursor is the place of the last item of a page, so no item that stays where it is is repeated or missed.
import { Type } from "typebox";
import { OneOf } from "./contract.ts";
import { fieldError } from "./errors.ts";
import type { PageLinks } from "./pagination.ts";

export interface Place {
  readonly key: string | number;
  readonly position: number;
}

export type Order = "asc" | "desc";

/** A part of a sorted list, in its order: `from` is exclusive, `to` inclusive. */
export interface PlaceRange {
  readonly order: Order;
  readonly from: Place;
  readonly to: Place;
}

/** Before and after all texts in UTF-8, and all numbers that are stored. */
const ENDS = { text: ["", "\u{10FFFF}"], number: [-1, Number.MAX_SAFE_INTEGER] } as const;

/** What follows a place of a sorted list, or all of it. */
export function rangeAfter(kind: "text" | "number", order: Order, from: Place | null): PlaceRange {
  const [lowest, highest] = ENDS[kind];
  const first: Place = { key: lowest, position: -1 };
  const last: Place = { key: highest, position: Number.MAX_SAFE_INTEGER };
  return order === "asc" ? { order, from: from ?? first, to: last } : { order, from: from ?? last, to: first };
}

/** Query members of a list that can be sorted. */
export function sortedQuery<const S extends readonly string[]>(sorts: S, byDefault: string) {
  return {
    sort: Type.Optional(OneOf(sorts, { description: `The member to sort by; ${byDefault} by default.` })),
    order: Type.Optional(OneOf(["asc", "desc"], { description: "With `sort`: `asc` by default." })),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_000, description: "With `sort`: the `cursor` of the page before." }),
    ),
  };
}

/** The member of a response that leads on. */
export const NEXT_CURSOR = {
  cursor: Type.Optional(
    Type.String({ description: "With `sort`: where the next page begins; absent on the last one." }),
  ),
};

interface SortedQuery<S extends string> {
  readonly sort?: S;
  readonly order?: Order;
  readonly cursor?: string;
  readonly since?: number;
  readonly until?: number;
}

/** How a page is sorted, and where it begins. */
export interface Sorting<S extends string> {
  readonly sort: S;
  readonly order: Order;
  readonly from: Place | null;
}

function parsePlace(text: string, list: string): Place | null {
  try {
    const [of, key, position] = JSON.parse(Buffer.from(text, "base64url").toString()) as readonly unknown[];
    const isKey = typeof key === "string" || Number.isSafeInteger(key);
    return of === list && isKey && Number.isSafeInteger(position) ? ({ key, position } as Place) : null;
  } catch {
    return null;
  }
}

const listOf = (sort: string, order: Order) => `${sort} ${order}`;

/** How a query sorts; null: by position. `kinds` are the keys of each order. */
export function readSorting<S extends string>(
  { sort, order, cursor, since, until }: SortedQuery<S>,
  kinds: Readonly<Record<S, "text" | "number">>,
): Sorting<S> | null {
  if (sort === undefined) {
    const extra = order === undefined ? (cursor === undefined ? null : "cursor") : "order";
    if (extra !== null) throw fieldError("invalid_query", `query.${extra}`, "expected together with sort");
    return null;
  }
  if (since !== undefined || until !== undefined) {
    const field = since === undefined ? "query.until" : "query.since";
    throw fieldError("invalid_query", field, "expected without sort, with which cursor leads to the next page");
  }
  const direction = order ?? "asc";
  if (cursor === undefined) return { sort, order: direction, from: null };
  const from = parsePlace(cursor, listOf(sort, direction));
  if (!from || typeof from.key !== (kinds[sort] === "text" ? "string" : "number")) {
    throw fieldError("invalid_cursor", "query.cursor", "expected the cursor of a page with the same sort and order");
  }
  return { sort, order: direction, from };
}

/** The members of a response, and its links, for a sorted page that goes on after a place; null: it is the last one. */
export function sortedPage(
  { sort, order }: Sorting<string>,
  count: number,
  next: Place | null,
): {
  readonly cursor?: string;
  readonly pagination: { readonly count: number; readonly next: null; readonly prev: null };
  readonly links: PageLinks;
} {
  const text =
    next && Buffer.from(JSON.stringify([listOf(sort, order), next.key, next.position])).toString("base64url");
  return {
    ...(text === null ? {} : { cursor: text }),
    pagination: { count, next: null, prev: null },
    links: { next: text === null ? null : { name: "cursor", value: text }, prev: null, replaced: ["cursor"] },
  };
}
