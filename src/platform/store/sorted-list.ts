// Statements on a list in the order of a key, for both directions: its rows between two places, and the place behind some rows.
import { sql } from "kysely";
import type { Compilable, RawBuilder, SelectQueryBuilder } from "kysely";
import type { Place, PlaceRange } from "../kernel/sorted-pagination.ts";
import type { Awaitable, SqlValue, Tx } from "../kernel/tx.ts";
import { prepare } from "./prepared.ts";
import type { Build } from "./build.ts";
import type { Order } from "./list-order.ts";
import type { Tables } from "./tables/tables.ts";

type PlaceParams = { fromKey: string | number; fromPosition: number; toKey: string | number; toPosition: number };

/** The columns of an index that order, or expressions that no index has. */
export interface SortKey {
  readonly key: RawBuilder<string | number>;
  readonly position: RawBuilder<number>;
}

function between<R, P extends PlaceParams>(
  { p }: Build<P>,
  selection: Compilable<R>,
  { key, position }: SortKey,
  order: Order,
): SelectQueryBuilder<Tables, never, R> {
  const [after, upTo] = order === "asc" ? [sql`>`, sql`<=`] : [sql`<`, sql`>=`];
  const bounded = (selection as unknown as SelectQueryBuilder<Tables, never, R>)
    .where(sql<boolean>`(${key}, ${position}) ${after} (${p("fromKey")}, ${p("fromPosition")})`)
    .where(sql<boolean>`(${key}, ${position}) ${upTo} (${p("toKey")}, ${p("toPosition")})`);
  return bounded.orderBy(key, order).orderBy(position, order);
}

const paramsOf = ({ from, to }: PlaceRange) => ({
  fromKey: from.key,
  fromPosition: from.position,
  toKey: to.key,
  toPosition: to.position,
});

/** Declares the rows of a list in an order; `build` selects and filters. */
export function prepareSorted<P extends Record<string, SqlValue>>(name: string) {
  return <R>(build: (b: Build<P & PlaceParams & { limit: number }>) => Compilable<R>, sorted: SortKey) => {
    const declareOrder = (order: Order) =>
      prepare<P & PlaceParams & { limit: number }>(`${name}.${order}`).many((b) =>
        between(b, build(b), sorted, order).limit(b.p("limit") as RawBuilder<number>),
      );
    const statements = { asc: declareOrder("asc"), desc: declareOrder("desc") };
    return (tx: Tx, params: P, range: PlaceRange, limit: number): Awaitable<R[]> =>
      statements[range.order](tx, { ...params, ...paramsOf(range), limit });
  };
}

/** Declares the place of the row behind some others of such a list; `build` selects nothing. */
export function preparePlaceAfter<P extends Record<string, SqlValue>>(name: string) {
  return (build: (b: Build<P & PlaceParams & { skip: number }>) => Compilable, sorted: SortKey) => {
    const declareOrder = (order: Order) =>
      prepare<P & PlaceParams & { skip: number }>(`${name}.${order}`).one((b) => {
        const selection = build(b) as unknown as SelectQueryBuilder<Tables, never, unknown>;
        const places = selection.select([sorted.key.as("key"), sorted.position.as("position")]);
        return between(b, places as unknown as Compilable<Place>, sorted, order)
          .limit(sql.lit(1))
          .offset(sql<number>`cast(${b.p("skip")} as integer)`);
      });
    const statements = { asc: declareOrder("asc"), desc: declareOrder("desc") };
    return (tx: Tx, params: P, range: PlaceRange, skip: number): Awaitable<Place | undefined> =>
      statements[range.order](tx, { ...params, ...paramsOf(range), skip });
  };
}
