// The order of lists, the bounds of their pages and their limit, for any selection.
import { sql } from "kysely";
import type { Compilable, RawBuilder, SelectQueryBuilder } from "kysely";
import type { Tables } from "./tables/tables.ts";

export type Order = "asc" | "desc";

interface Bounds {
  /** Both exclusive. */
  readonly after: RawBuilder<number>;
  readonly before: RawBuilder<number>;
}

/** The rows between two positions; `position` is the column that orders. */
export function inOrder<R>(
  selection: Compilable<R>,
  { after, before }: Bounds,
  order: Order,
  position = "position",
): SelectQueryBuilder<Tables, never, R> {
  const column = sql<number>`${sql.ref(position)}`;
  return (selection as unknown as SelectQueryBuilder<Tables, never, R>)
    .where(column, ">", after)
    .where(column, "<", before)
    .orderBy(column, order);
}

/**
 * SQLite plans by the value of a bare parameter in LIMIT, so it prepares the whole statement again at every call, which costs
 * several times as much as running it. It does not look at a value inside an expression.
 */
export function hideLimit(sqlText: string): string {
  return sqlText.replaceAll(/\blimit \?/g, "limit cast(? as integer)");
}
