// Turns a Kysely expression with named parameters into a prepared statement of both engines, once.
import { sql } from "kysely";
import type { Compilable, RawBuilder } from "kysely";
import type { PageBounds } from "../kernel/pagination.ts";
import type { Awaitable, Binding, CompiledStatement, Engine, SqlValue, Statement, Tx } from "../kernel/tx.ts";
import { Param, buildFor, number } from "./build.ts";
import type { Build, Given } from "./build.ts";
import { hideLimit, inOrder } from "./list-order.ts";
import type { Order } from "./list-order.ts";
import type { Tables } from "./tables/tables.ts";

const registry: Statement[] = [];

/** Every declared statement, for tests that read query plans and for preparing at start. */
export function allStatements(): readonly Statement[] {
  return registry;
}

const READ = /^select\b/i;

function declare<P, R>(
  name: string,
  build: (b: Build<P>) => Compilable<R>,
  { gathers, locksOwner }: Pick<Statement, "gathers" | "locksOwner"> = {},
): Statement {
  const cache = new Map<Engine, CompiledStatement>();
  const statement: Statement = {
    index: registry.length,
    name,
    gathers,
    locksOwner,
    compiled(engine) {
      let compiled = cache.get(engine);
      if (!compiled) {
        const { sql: text, parameters } = build(buildFor<P>(engine)).compile();
        const bind = parameters.map((value): Binding =>
          value instanceof Param ? { param: value.name } : { value: value as SqlValue },
        );
        compiled = { sql: engine === "sqlite" ? hideLimit(text) : text, bind, isRead: READ.test(text) };
        cache.set(engine, compiled);
      }
      return compiled;
    },
  };
  registry.push(statement);
  return statement;
}

/** The bounds of a list, as parameters. */
const BOUNDS = { after: number("after"), before: number("before") };

/** Declares a statement for each order of a list. */
function declareOrders<P, R>(name: string, build: (b: Build<P>, order: Order) => Compilable<R>) {
  const oldestFirst = declare<P, R>(`${name}.asc`, (b) => build(b, "asc"));
  const newestFirst = declare<P, R>(`${name}.desc`, (b) => build(b, "desc"));
  return ({ isForward }: PageBounds): Statement => (isForward ? oldestFirst : newestFirst);
}

/**
 * Declares a statement of a resource's store: `prepare<{ id: string }>("teams.find").one(({ db, p }) => ...)`.
 * The result is a function of the transaction and the parameters. Its result must be awaited; SQLite returns it at once.
 */
export function prepare<P extends Record<string, SqlValue> = Record<never, never>>(name: string) {
  return {
    /** At most one row. See `Statement` for `locksOwner`. */
    one<R>(build: (b: Build<P>) => Compilable<R>, { locksOwner = false } = {}) {
      const statement = declare(name, build, { locksOwner });
      return (tx: Tx, params: P) => tx.one(statement, params) as Awaitable<R | undefined>;
    },
    /** All rows; the statement has a limit, or its result is bounded by construction. */
    many<R>(build: (b: Build<P>) => Compilable<R>) {
      const statement = declare(name, build);
      return (tx: Tx, params: P) => tx.many(statement, params) as Awaitable<R[]>;
    },
    /**
     * The rows of a list between two positions, one more than a page shows; newest first, or oldest first if the bounds are
     * forward. `build` selects and filters; `position` is the column that orders, or an expression that no index orders by.
     */
    page<R>(build: (b: Build<P>) => Compilable<R>, position?: string | RawBuilder<number>) {
      const statementFor = declareOrders<P, R>(name, (b, order) =>
        inOrder(build(b), BOUNDS, order, position).limit(number("limit")),
      );
      return (tx: Tx, params: P, bounds: PageBounds) => {
        const { after, before, limit } = bounds;
        return tx.many(statementFor(bounds), { ...params, after, before, limit: limit + 1 }) as Awaitable<R[]>;
      };
    },
    /** The position of the row behind `skip` others of a list, in the order of the bounds, if there is one; `build` selects and filters. */
    positionAfter(build: (b: Build<P>) => Compilable<{ position: number }>) {
      const statementFor = declareOrders<P, { position: number }>(name, (b, order) =>
        inOrder(build(b), BOUNDS, order)
          .limit(1)
          .offset(sql<number>`cast(${number("skip")} as integer)`),
      );
      return async (tx: Tx, params: P, bounds: PageBounds, skip: number) => {
        const { after, before } = bounds;
        const found = await tx.one(statementFor(bounds), { ...params, after, before, skip });
        return (found as { readonly position: number } | undefined)?.position;
      };
    },
    /** A change; returns the number of rows that it changed. */
    run<R>(build: (b: Build<P>) => Compilable<R>) {
      const statement = declare(name, build);
      return (tx: Tx, params: P) => tx.run(statement, params);
    },
    /** Adds a row: `given` has the columns that are not parameters of the same name. */
    insert<T extends keyof Tables, const G extends Given<T>>(table: T, given: (b: Build<Tables[T] & P>) => G) {
      const statement = declare<Tables[T] & P, unknown>(name, (b) =>
        b.db.insertInto(table).values(b.row(table, given(b)) as never),
      );
      return (tx: Tx, params: Omit<Tables[T], keyof G> & P) => tx.write(statement, params);
    },
    /** A change of which nobody asks how many rows it changed: see `Tx`, and `Statement` for `gathers`. */
    write<R>(build: (b: Build<P>) => Compilable<R>, { gathers }: { readonly gathers?: keyof P & string } = {}) {
      const statement = declare(name, build, { gathers });
      return (tx: Tx, params: P) => tx.write(statement, params);
    },
  };
}
