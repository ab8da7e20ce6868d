// What the builder of a statement gets: Kysely, which is a typed compiler here, with named parameters, and the SQL that the engines differ in.
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
import type { AliasedRawBuilder, Expression, RawBuilder } from "kysely";
import type { Engine } from "../kernel/tx.ts";
import { inCamelCase } from "./camel-case.ts";
import { candidates } from "./search-index.ts";
import { rangeOf } from "./list-order.ts";
import type { Candidate } from "./search-index.ts";
import { COLUMNS } from "./tables/tables.ts";
import type { Tables } from "./tables/tables.ts";

const SqliteCompiler = inCamelCase(SqliteQueryCompiler);
const PostgresCompiler = inCamelCase(PostgresQueryCompiler);

const builders: Record<Engine, Kysely<Tables>> = {
  sqlite: new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteCompiler(),
    },
  }),
  postgres: new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresCompiler(),
    },
  }),
};

/** Some columns of a row. */
export type Given<T extends keyof Tables> = {
  readonly [K in keyof Tables[T]]?: Tables[T][K] | Expression<Tables[T][K]>;
};

export class Param {
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
  readonly engine: Engine;
  readonly db: Kysely<Tables>;
  /** A named parameter. */
  p<K extends keyof P & string>(name: K): Expression<P[K]>;
  /** Named parameters, for columns of the same names. */
  params<K extends keyof P & string>(...names: readonly K[]): { readonly [N in K]: Expression<P[N]> };
  /** A whole row: `given`, and the parameters of the other columns' names. */
  row<T extends keyof Tables>(table: T, given: Given<T>): { readonly [K in keyof Tables[T]]: Expression<Tables[T][K]> };
  /** For columns of these names, the values of the row that an insert would have added. */
  excluded<K extends string>(...names: readonly K[]): { readonly [N in K]: RawBuilder<never> };
  /** The elements of a JSON array of strings, as a subquery for `in`. */
  elements(name: keyof P & string): Expression<string>;
  /** Whether a column equals an element of a JSON array of strings. Uses the column's index, however few rows there are. */
  isElement(column: Expression<string>, name: keyof P & string): RawBuilder<boolean>;
  /** Whether the JSON array of strings in a column (with its table) has an element of another such array. */
  hasElement(column: Expression<string | null>, name: keyof P & string): RawBuilder<boolean>;
  /** Whether a column equals a value of a subquery. Uses the column's index, however few rows there are. */
  isAmong(column: Expression<string>, values: Expression<unknown>): RawBuilder<boolean>;
  /** Where a row is: PostgreSQL and SQLite read one by it without an index. Only valid within the statement. */
  readonly place: RawBuilder<string>;
  /** The elements of a JSON array of integers, as a subquery for `in`. */
  integers(name: keyof P & string): Expression<number>;
  /** The numbers of a JSON array, to select from; `element` reads them. */
  numbers(name: keyof P & string): AliasedRawBuilder<{ value: string }, "element">;
  /** The current integer of `numbers`. */
  readonly element: RawBuilder<number>;
  /**
   * The rows of a table whose unique key has the values that `elements` (`numbers` or `objects`) give, to select from. PostgreSQL looks
   * each up by that key's index, whatever its statistics. `key` has its columns in their order, the last one an integer.
   */
  rowsAt<T extends keyof Tables>(
    table: T,
    elements: AliasedRawBuilder<{ value: string }, "element">,
    key: Readonly<Partial<Record<keyof Tables[T] & string, Expression<unknown>>>>,
  ): AliasedRawBuilder<Tables[T], T>;
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
  /** The first entries that an index has for a described range: see platform/store/search-index.ts, which names the parameters. */
  searchCandidates(order: "asc" | "desc"): AliasedRawBuilder<Candidate, "found">;
}

function reference(name: string): RawBuilder<unknown> {
  return sql`${new Param(name)}`;
}

export const number = (name: string) => reference(name) as RawBuilder<number>;

/** An object with a member for each name. */
const forEach = <K extends string, V>(names: readonly K[], make: (name: K) => V) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Readonly<Record<K, V>>;

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

export function buildFor<P>(engine: Engine): Build<P> {
  return {
    engine,
    db: builders[engine],
    p: (name) => reference(name) as RawBuilder<never>,
    params: (...names) => forEach(names, (name) => reference(name) as RawBuilder<never>),
    row: (table, given) => ({ ...forEach(COLUMNS[table].split(" "), reference), ...given }) as never,
    excluded: (...names) => forEach(names, (name) => sql<never>`${sql.ref(`excluded.${name}`)}`),
    elements: (name) => elementsOf(engine, name),
    isElement: (column, name) => isAmong(engine, column, elementsOf(engine, name)),
    hasElement: (column, name) =>
      engine === "sqlite"
        ? sql<boolean>`exists (select 1 from json_each(${column}) as had where had.value in ${elementsOf(engine, name)})`
        : sql<boolean>`exists (select 1 from json_array_elements_text(cast(${column} as json)) as had(value)
            where had.value in ${elementsOf(engine, name)})`,
    isAmong: (column, values) => isAmong(engine, column, values),
    place: sql.raw(engine === "sqlite" ? "rowid" : "ctid"),
    integers: (name) =>
      engine === "sqlite"
        ? sql<number>`(select value from json_each(${reference(name)}))`
        : sql<number>`(select cast(cast(value as text) as bigint) ${listed("number", name)})`,
    numbers: (name) =>
      (engine === "sqlite"
        ? sql<{ value: string }>`(select value from json_each(${reference(name)}))`
        : sql<{ value: string }>`(select value ${listed("number", name)})`
      ).as("element"),
    element: engine === "sqlite" ? sql`element.value` : sql`cast(cast(element.value as text) as bigint)`,
    rowsAt(table, elements, key) {
      const from = sql.table(table);
      const columns = Object.keys(key).map((column) => sql.ref(`${table}.${column}`));
      const values = Object.values<Expression<unknown>>(key as never);
      const equal = columns.map((column, at) => sql`${column} = ${values[at]}`);
      const last = values.pop();
      const range = rangeOf({ columns, values }, { after: sql`${last} - 1`, before: sql`${last} + 1` }, "asc");
      return (
        engine === "sqlite"
          ? sql<never>`(select ${from}.* from ${elements} cross join ${from} on ${sql.join(equal, sql` and `)})`
          : sql<never>`(select found.* from ${elements} cross join lateral
            (select * from ${from} where ${range.isWithin} order by ${range.inOrder} limit 1) as found)`
      ).as(table);
    },
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
