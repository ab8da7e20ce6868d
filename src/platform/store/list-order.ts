// The order of lists, the bounds of their pages and their limit, for any selection.
import { sql } from "kysely";
import type { Compilable, Expression, RawBuilder, SelectQueryBuilder } from "kysely";
import type { Tables } from "./tables/tables.ts";

export type Order = "asc" | "desc";

interface Bounds {
  /** Both exclusive. */
  readonly after: RawBuilder<number>;
  readonly before: RawBuilder<number>;
}

/** The rows between two positions; `position` is the column that orders, or an expression. */
export function inOrder<R>(
  selection: Compilable<R>,
  { after, before }: Bounds,
  order: Order,
  position: string | RawBuilder<number> = "position",
): SelectQueryBuilder<Tables, never, R> {
  const column = typeof position === "string" ? sql<number>`${sql.ref(position)}` : position;
  return (selection as unknown as SelectQueryBuilder<Tables, never, R>)
    .where(column, ">", after)
    .where(column, "<", before)
    .orderBy(column, order);
}

/** The columns of an index: the last one orders, and the others have one value each. */
export interface Key {
  readonly columns: readonly Expression<unknown>[];
  /** Of all columns but the last. */
  readonly values: readonly Expression<unknown>[];
}

export interface Ends {
  readonly after: Expression<unknown>;
  readonly before: Expression<unknown>;
}

/** After all types, ids and names, which are ASCII. */
export const LAST_TEXT = sql.lit("~");
export const LAST_NUMBER = sql.lit(Number.MAX_SAFE_INTEGER);

/** The rows of a range of an index, and their order. */
export interface IndexRange {
  readonly isWithin: RawBuilder<boolean>;
  readonly inOrder: RawBuilder<unknown>;
}

/**
 * The rows with one value of each column of a key but the last, between two values of that, both exclusive. A planner is told of the first
 * column alone that it has one value; the others are compared as a row and order the result, which only the one index serves. If it knew
 * of those too, it might read another index of the owner's, when it has no statistics or a value is rare: that has many times as many rows.
 */
export function rangeOf({ columns, values }: Key, { after, before }: Ends, order: Order): IndexRange {
  // Of two conditions on one column PostgreSQL expects hardly any row, and then sorts instead: not so of rows.
  const rest = ([, ...of]: readonly Expression<unknown>[]) => sql`(${sql.join(of.length === 1 ? [...of, ...of] : of)})`;
  return {
    isWithin: sql<boolean>`${columns[0]} = ${values[0]} and ${rest(columns)} > ${rest([...values, after])}
      and ${rest(columns)} < ${rest([...values, before])}`,
    inOrder: sql.join(columns.map((column) => sql`${column} ${sql.raw(order)}`)),
  };
}

/**
 * SQLite plans by the value of a bare parameter in LIMIT, so it prepares the whole statement again at every call, which costs
 * several times as much as running it. It does not look at a value inside an expression.
 */
export function hideLimit(sqlText: string): string {
  return sqlText.replaceAll(/\blimit \?/g, "limit cast(? as integer)");
}
