// The search index, in the form of each engine: FTS5 with trigrams on SQLite, GIN over arrays of trigrams on
// PostgreSQL, which needs no extension. Both find only entries of one scope, in a bounded range of its list.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { FIRST_INDEXED, SEGMENT_SIZE, segmentOf } from "../kernel/text/search-text.ts";
import type { Engine } from "../kernel/tx.ts";

/**
 * On SQLite the row id of an entry is the number of its scope, followed by a number that is lower the newer the entry is: FTS5
 * iterates several times as fast upwards as downwards, and lists begin with the newest entries.
 */
const ORDINAL_BITS = 32;
const LAST = 2 ** ORDINAL_BITS - 1;
const numberOf = (row: "new" | "old") =>
  `((select number from search_scopes where scope = ${row}.scope) << ${ORDINAL_BITS}) + ${LAST} - ${row}.ordinal`;

const SQLITE_PARTS = [
  `create table search_scopes (number integer primary key, scope text not null unique)`,
  `create virtual table search_index using fts5 (
    content, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
  )`,
  // Otherwise the deletion that makes a tenth of a segment obsolete rewrites the segment: for seconds where it has a million entries.
  `insert into search_index (search_index, rank) values ('deletemerge', 0)`,
  `insert into search_scopes (scope) select distinct scope from search_entries where ordinal >= ${FIRST_INDEXED}`,
  `insert into search_index (rowid, content)
    select (number << ${ORDINAL_BITS}) + ${LAST} - ordinal, content from search_scopes join search_entries using (scope)
    where ordinal >= ${FIRST_INDEXED} order by number, ordinal desc`,
  `create trigger search_entries_insert after insert on search_entries when new.ordinal >= ${FIRST_INDEXED} begin
    insert into search_scopes (scope)
      select new.scope where not exists (select 1 from search_scopes where scope = new.scope);
    insert into search_index (rowid, content) values (${numberOf("new")}, new.content);
  end`,
  `create trigger search_entries_update after update of content on search_entries
    when new.ordinal >= ${FIRST_INDEXED} and new.content <> old.content begin
    update search_index set content = new.content where rowid = ${numberOf("new")};
  end`,
  `create trigger search_entries_delete after delete on search_entries when old.ordinal >= ${FIRST_INDEXED} begin
    delete from search_index where rowid = ${numberOf("old")};
  end`,
];

const POSTGRES_PARTS = [
  // The cost keeps the planner from computing it for rows that the index has not found.
  `create or replace function reeve_search_tokens(scope text, ordinal bigint, content text) returns text[]
    language plpgsql immutable strict parallel safe cost 100000 as $$
    declare
      tokens text[] := '{}';
      prefix text := scope || ':' || (ordinal / ${SEGMENT_SIZE})::text || ':';
    begin
      for i in 1 .. length(content) - 2 loop
        tokens[i] := prefix || substr(content, i, 3);
      end loop;
      return tokens;
    end $$`,
  // New entries wait in a pending list that every search reads, so it is kept short.
  `create index search_entries_tokens on search_entries using gin (reeve_search_tokens(scope, ordinal, content))
    with (fastupdate = on, gin_pending_list_limit = 256) where ordinal >= ${FIRST_INDEXED}`,
];

/** The statements that make the index and fill it from the rows of the table. It is derived, and no part of the schema's tables. */
export function searchIndexParts(engine: Engine): readonly string[] {
  return engine === "sqlite" ? SQLITE_PARTS : POSTGRES_PARTS;
}

/** A range of a scope's entries, for `findCandidates`. */
export interface SearchRange {
  readonly scope: string;
  /** Ordinals, both inclusive. */
  readonly from: number;
  readonly to: number;
  /** The trigrams of each of the texts that are looked for. */
  readonly grams: readonly (readonly string[])[];
}

/** The range in the query language of an engine's index: one parameter of `candidates`. */
export function describeRange(engine: Engine, { scope, from, to, grams }: SearchRange): string {
  if (engine === "sqlite") {
    const all = (some: readonly string[]) => some.map((gram) => `"${gram.replaceAll('"', '""')}"`).join(" AND ");
    return grams.map((some) => `(${all(some)})`).join(" OR ");
  }
  const segments = Array.from({ length: segmentOf(to) - segmentOf(from) + 1 }, (_, at) => segmentOf(from) + at);
  const quote = (gram: string) => `"${gram.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return JSON.stringify(
    segments.flatMap((segment) =>
      grams.map((some) => `{${some.map((gram) => quote(`${scope}:${segment}:${gram}`)).join(",")}}`),
    ),
  );
}

/** The parameters of `candidates`. */
type Parameter = "scope" | "from" | "to" | "described" | "limit";

/** An entry that an index has found, in columns of `search_entries`. */
export interface Candidate {
  readonly ordinal: number;
  readonly userId: string;
  readonly content: string;
}

/** The entries in a range that have its trigrams: the first ones in the order of their list, themselves in no order. */
export function candidates(engine: Engine, order: "asc" | "desc", reference: (name: Parameter) => RawBuilder<unknown>) {
  const [scope, from, to] = [reference("scope"), reference("from"), reference("to")];
  const [described, limit] = [reference("described"), reference("limit")];
  const direction = sql.raw(order);
  const [bits, last] = [sql.lit(ORDINAL_BITS), sql.lit(LAST)];
  // FTS5 ignores bounds that are not integers, and the driver binds floating-point numbers.
  const numberAt = (ordinal: RawBuilder<unknown>) =>
    sql`((select number from search_scopes where scope = ${scope}) << ${bits}) + ${last} - cast(${ordinal} as integer)`;
  return engine === "sqlite"
    ? // SQLite keeps the order of a cross join. By its statistics it would read a list whole when most lists are short.
      sql<Candidate>`(select entry.ordinal, entry.user_id, entry.content
        from (select ${last} - (rowid & ${last}) as ordinal from search_index
          where search_index match ${described} and rowid >= ${numberAt(to)} and rowid <= ${numberAt(from)}
          order by rowid ${sql.raw(order === "desc" ? "asc" : "desc")} limit ${limit}) as match
        cross join search_entries as entry where entry.scope = ${scope} and entry.ordinal = match.ordinal)`
    : // Without the offset PostgreSQL may read the range in every scope instead of the index, when it has no statistics.
      sql<Candidate>`(select distinct on (entry.ordinal) entry.ordinal, entry.user_id, entry.content
        from json_array_elements_text(cast(${described} as json)) as segment(tokens)
        cross join lateral (select ordinal, user_id, content from search_entries
          where ordinal >= ${sql.lit(FIRST_INDEXED)}
            and reeve_search_tokens(scope, ordinal, content) @> cast(segment.tokens as text[]) offset 0) as entry
        where entry.ordinal >= ${from} and entry.ordinal <= ${to}
        order by entry.ordinal ${direction} limit ${limit})`;
}
