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
  return {
    isWithin: sql<boolean>`${columns[0]} = ${values[0]} and ${restOf(columns)} > ${restOf([...values, after])}
      and ${restOf(columns)} < ${restOf([...values, before])}`,
    inOrder: sql.join(columns.map((column) => sql`${column} ${sql.raw(order)}`)),
  };
}

/** Of two conditions on one column PostgreSQL expects hardly any row, and then sorts instead: not so of rows. */
function restOf([, ...of]: readonly Expression<unknown>[]): RawBuilder<unknown> {
  return sql`(${sql.join(of.length === 1 ? [...of, ...of] : of)})`;
}

/**
 * Selects the columns of a key of the first rows of a range. It reads so many rows from one end on, and leaves out those beyond the other
 * end, which are the last. Of two row comparisons PostgreSQL 15 ends a scan by the first column alone, and so reads a whole busy id for a
 * rare type. `column` is one more that is selected, `isPresent` what the index says of all its rows.
 */
export function firstOfRange(
  table: keyof Tables | "event_keys",
  key: Key,
  { after, before }: Ends,
  order: Order,
  limit: Expression<unknown>,
  { column, isPresent }: { readonly column?: string; readonly isPresent?: RawBuilder<unknown> } = {},
): RawBuilder<unknown> {
  const { columns, values } = key;
  const start =
    order === "asc"
      ? sql`${restOf(columns)} > ${restOf([...values, after])}`
      : sql`${restOf(columns)} < ${restOf([...values, before])}`;
  const last = columns.at(-1);
  const isWithin = [
    ...columns.slice(1, -1).map((one, at) => sql`${one} = ${values[at + 1]}`),
    order === "asc" ? sql`${last} < ${before}` : sql`${last} > ${after}`,
  ];
  return sql`(select * from (select ${sql.join([...columns, ...(column === undefined ? [] : [sql.ref(column)])])}
      from ${sql.table(table)} where ${columns[0]} = ${values[0]} and ${start} ${isPresent ?? sql``}
      order by ${rangeOf(key, { after, before }, order).inOrder} limit ${limit}) as ranged where ${sql.join(isWithin, sql` and `)})`;
}

/** How many rows of a range meet a condition, counted up to a limit. The condition has no part in the choice of the index. */
export function countOfRange(
  table: keyof Tables,
  key: Key,
  ends: Ends,
  condition: Expression<unknown>,
  limit: Expression<unknown>,
): RawBuilder<number> {
  const range = rangeOf(key, ends, "asc");
  return sql<number>`(select count(*) from (select ${key.columns[1]} from ${sql.table(table)} where ${range.isWithin}
    and case when ${condition} then true else false end order by ${range.inOrder} limit ${limit}) as counted)`;
}

/**
 * SQLite plans by the value of a bare parameter in LIMIT, so it prepares the whole statement again at every call, which costs
 * several times as much as running it. It does not look at a value inside an expression.
 */
export function hideLimit(sqlText: string): string {
  return sqlText.replaceAll(/\blimit \?/g, "limit cast(? as integer)");
}
