// Turns a Kysely expression with named parameters into a prepared statement of both engines, once; Kysely is a typed compiler here.
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import type { AliasedRawBuilder, Compilable, Expression, RawBuilder } from "kysely";
import type { PageBounds } from "../kernel/pagination.ts";
import type { Awaitable, Binding, CompiledStatement, Engine, SqlValue, Statement, Tx } from "../kernel/tx.ts";
import { hideLimit, inOrder } from "./list-order.ts";
import type { Order } from "./list-order.ts";
import { candidates } from "./search-index.ts";
import type { Tables } from "./tables/tables.ts";

const builders: Record<Engine, Kysely<Tables>> = {
  sqlite: new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
};

class Param {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** The column that identifies the list of a row, and the parameter that it equals. */
interface ListOf<T extends keyof Tables, P> {
  readonly column: keyof Tables[T] & string;
  readonly param: keyof P & string;
}

/** Passed to the builder of a statement. */
export interface Build<P> {
  readonly db: Kysely<Tables>;
  /** A named parameter. */
  p<K extends keyof P & string>(name: K): Expression<P[K]>;
  /** The elements of a JSON array of strings, as a subquery for `in`. */
  elements(name: keyof P & string): Expression<string>;
  /** Whether a column equals an element of a JSON array of strings. Uses the column's index, however few rows there are. */
  isElement(column: Expression<string>, name: keyof P & string): RawBuilder<boolean>;
  /** Whether the JSON array of strings in a column (with its table) has an element of another such array. */
  hasElement(column: Expression<string | null>, name: keyof P & string): RawBuilder<boolean>;
  /** Whether a column equals a value of a subquery. Uses the column's index, however few rows there are. */
  isAmong(column: Expression<string>, values: Expression<unknown>): RawBuilder<boolean>;
  /** The elements of a JSON array of integers, as a subquery for `in`. */
  integers(name: keyof P & string): Expression<number>;
  /** The objects of a JSON array, to select from; `member` and `integerMember` read them. */
  objects(name: keyof P & string): AliasedRawBuilder<{ value: string }, "element">;
  /** A text member of the current object. */
  member(key: string): RawBuilder<string>;
  /** An integer member of the current object. */
  integerMember(key: string): RawBuilder<number>;
  /**
   * The rows that `rows` selects for each object of a JSON array, as one table with the column `sequence`, which
   * `rows` must select: what LATERAL is for. `field` reads a text member of the object.
   */
  eachElement(
    name: keyof P & string,
    rows: (field: (key: string) => Expression<string>) => Expression<{ sequence: number }>,
  ): RawBuilder<{ sequence: number }>;
  /**
   * The position of a new row in its list: the parameter `position`, or one above the highest when that is taken. `list` names
   * the columns and parameters that make the list; without it the list is the whole table. `order`: an indexed column that orders alike.
   */
  nextPosition<T extends keyof Tables>(
    table: T,
    list?: ListOf<T, P> | readonly ListOf<T, P>[],
    position?: keyof Tables[T] & string,
    order?: keyof Tables[T] & string,
  ): RawBuilder<number>;
  /** The lower and the higher of two numbers that are not null. */
  least(one: Expression<number>, other: Expression<number>): RawBuilder<number>;
  greatest(one: Expression<number>, other: Expression<number>): RawBuilder<number>;
  /** ` for update` where the engine locks rows; SQLite has one writer. */
  readonly forUpdate: RawBuilder<unknown>;
  /** ` for share`: no other transaction changes the row until this one ends; this one waits for one that is changing it. */
  readonly forShare: RawBuilder<unknown>;
  /** Like `forShare`, for one of several tables. */
  forShareOf(table: string): RawBuilder<unknown>;
  /** Like `forUpdate`, for workers that share a queue: skips rows that another one has locked. */
  readonly forUpdateSkipLocked: RawBuilder<unknown>;
  /** Whether a text contains the parameter, character by character; both are folded (platform/kernel/text/search-text.ts). */
  contains(column: Expression<string | null>, search: keyof P & string): RawBuilder<boolean>;
  /** Whether the owner in a column (with its table) has not been deleted; the rows of a deleted one may still be there. */
  isNotRemoved(owner: Expression<string | null>): RawBuilder<boolean>;
  /** The owner in a column (with its table); null for a deleted one. */
  present(owner: Expression<string | null>): RawBuilder<string | null>;
  /** The first ordinals that an index has for a described range: see platform/store/search-index.ts, which names the parameters. */
  searchCandidates(order: "asc" | "desc"): AliasedRawBuilder<{ ordinal: number }, "found">;
}

function reference(name: string): RawBuilder<unknown> {
  return sql`${new Param(name)}`;
}

const number = (name: string) => reference(name) as RawBuilder<number>;

function member(key: string): RawBuilder<string> {
  return sql<string>`(element.value ->> ${sql.lit(key)})`;
}

function isNotRemoved(owner: Expression<string | null>): RawBuilder<boolean> {
  return sql<boolean>`not exists (select 1 from removals where removals.owner_id = ${owner})`;
}

// The condition makes PostgreSQL expect one element rather than a hundred, so that it looks for the rows of each by an index,
// whatever the statistics. For a hundred it would rather read all rows of an owner.
const listed = (type: "string" | "number" | "object", name: string) =>
  sql`from json_array_elements(cast(${reference(name)} as json)) where json_typeof(value) = ${sql.lit(type)}`;

/** The elements of a JSON array of strings that a parameter holds. */
const elementsOf = (engine: Engine, name: string) =>
  engine === "sqlite"
    ? sql<string>`(select value from json_each(${reference(name)}))`
    : sql<string>`(select value #>> '{}' ${listed("string", name)})`;

const isAmong = (engine: Engine, column: Expression<string>, values: Expression<unknown>) =>
  engine === "sqlite" ? sql<boolean>`${column} in ${values}` : sql<boolean>`${column} = any (array${values})`;

function buildFor<P>(engine: Engine): Build<P> {
  return {
    db: builders[engine],
    p: (name) => reference(name) as RawBuilder<never>,
    elements: (name) => elementsOf(engine, name),
    isElement: (column, name) => isAmong(engine, column, elementsOf(engine, name)),
    hasElement: (column, name) =>
      engine === "sqlite"
        ? sql<boolean>`exists (select 1 from json_each(${column}) as had where had.value in ${elementsOf(engine, name)})`
        : sql<boolean>`exists (select 1 from json_array_elements_text(cast(${column} as json)) as had(value)
            where had.value in ${elementsOf(engine, name)})`,
    isAmong: (column, values) => isAmong(engine, column, values),
    integers: (name) =>
      engine === "sqlite"
        ? sql<number>`(select value from json_each(${reference(name)}))`
        : sql<number>`(select cast(cast(value as text) as bigint) ${listed("number", name)})`,
    objects: (name) =>
      (engine === "sqlite"
        ? // Otherwise SQLite would render each object as text again for each member that is read.
          sql<{ value: string }>`(with texts as materialized (select value from json_each(${reference(name)}))
            select value from texts)`
        : sql<{ value: string }>`(select value ${listed("object", name)})`
      ).as("element"),
    member,
    integerMember: (key) => sql<number>`cast(${member(key)} as bigint)`,
    eachElement(name, rows) {
      const found = rows(member);
      // SQLite has no LATERAL, but a table function may read the tables on its left.
      return engine === "sqlite"
        ? sql`(select found.value as sequence from json_each(${reference(name)}) as element,
            json_each((select json_group_array(sequence) from (${found}))) as found)`
        : sql`(select found.sequence from json_array_elements(cast(${reference(name)} as json)) as element(value)
            cross join lateral (${found}) as found)`;
    },
    least: (one, other) => sql<number>`${engine === "sqlite" ? sql`min` : sql`least`}(${one}, ${other})`,
    greatest: (one, other) => sql<number>`${engine === "sqlite" ? sql`max` : sql`greatest`}(${one}, ${other})`,
    nextPosition(table, list, position = "position" as never, order = position) {
      const conditions = [list ?? []].flat().map(({ column, param }) => sql`${sql.ref(column)} = ${reference(param)}`);
      // For `max`, PostgreSQL may read the whole list. In descending order it puts those without a position first.
      const where = sql.join([...conditions, sql`${sql.ref(position)} is not null`], sql` and `);
      const last = sql`(select ${sql.ref(position)} from ${sql.table(table)} where ${where} order by ${sql.ref(order)} desc limit 1)`;
      return sql<number>`${engine === "sqlite" ? sql`max` : sql`greatest`}(${reference("position")}, coalesce(${last}, 0) + 1)`;
    },
    forUpdate: engine === "sqlite" ? sql`` : sql`for update`,
    forShare: engine === "sqlite" ? sql`` : sql`for share`,
    forShareOf: (table) => (engine === "sqlite" ? sql`` : sql`for share of ${sql.ref(table)}`),
    forUpdateSkipLocked: engine === "sqlite" ? sql`` : sql`for update skip locked`,
    // Not LIKE: SQLite would prepare the statement again for every pattern.
    contains: (column, search) =>
      engine === "sqlite"
        ? sql<boolean>`instr(${column}, ${reference(search)}) > 0`
        : sql<boolean>`strpos(${column}, ${reference(search)}) > 0`,
    isNotRemoved,
    present: (owner) => sql<string | null>`case when ${isNotRemoved(owner)} then ${owner} end`,
    searchCandidates: (order) => candidates(engine, order, reference).as("found"),
  };
}

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
    /** A change of which nobody asks how many rows it changed: see `Tx`, and `Statement` for `gathers`. */
    write<R>(build: (b: Build<P>) => Compilable<R>, { gathers }: { readonly gathers?: keyof P & string } = {}) {
      const statement = declare(name, build, { gathers });
      return (tx: Tx, params: P) => tx.write(statement, params);
    },
  };
}
