// Statements on the search entries of accounts and members.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Tx } from "../../kernel/tx.ts";
import { prepare } from "../prepared.ts";
import { describeRange } from "../search-index.ts";
import type { Candidate, SearchRange } from "../search-index.ts";
import { prepareSorted } from "../sorted-list.ts";

const nextOrdinal = (scope: RawBuilder<unknown>) =>
  sql<number>`(select coalesce(max(last.ordinal), -1) + 1 from search_entries as last where last.scope = ${scope})`;

const COLUMNS = ["scope", "ordinal", "userId", "position", "isAccount", "content"] as const;

/** Inserts a member's entry. The caller has locked the team, so no other transaction uses the same ordinal. */
export const insertMemberEntry = prepare<{ teamId: string; userId: string; content: string }>(
  "search.insertMember",
).write(({ db, p }) =>
  db
    .insertInto("search_entries")
    .columns(COLUMNS)
    .expression((eb) =>
      eb
        .selectFrom("memberships as m")
        .select([
          "m.teamId as scope",
          nextOrdinal(sql`m.team_id`).as("ordinal"),
          "m.userId",
          "m.position",
          sql<number>`1`.as("isAccount"),
          sql<string>`cast(${p("content")} as text)`.as("content"),
        ])
        .where("m.teamId", "=", p("teamId"))
        .where("m.userId", "=", p("userId")),
    ),
);

/** Inserts an account's entry. The caller has locked the instance. */
export const insertAccountEntry = prepare<{ scope: string; userId: string; content: string }>(
  "search.insertAccount",
).write(({ db, p }) =>
  db
    .insertInto("search_entries")
    .columns(COLUMNS)
    .expression((eb) =>
      eb
        .selectFrom("users")
        .select([
          sql<string>`cast(${p("scope")} as text)`.as("scope"),
          nextOrdinal(sql`${p("scope")}`).as("ordinal"),
          "id as userId",
          "position",
          sql<number>`1`.as("isAccount"),
          sql<string>`cast(${p("content")} as text)`.as("content"),
        ])
        .where("id", "=", p("userId")),
    ),
);

export const findAccountFields = prepare<{ userId: string }>("search.findAccountFields").one(({ db, p }) =>
  db.selectFrom("users").select(["id", "name", "username", "email"]).where("id", "=", p("userId")),
);

/** Replaces the text of an invited person's entry by that of the account. */
export const updateEntry = prepare<{ scope: string; userId: string; content: string }>("search.update").write(
  ({ db, p }) =>
    db
      .updateTable("search_entries")
      .set({ content: p("content"), isAccount: 1 })
      .where("userId", "=", p("userId"))
      .where("scope", "=", p("scope")),
);

export const deleteEntry = prepare<{ scope: string; userId: string }>("search.delete").write(({ db, p }) =>
  db.deleteFrom("search_entries").where("userId", "=", p("userId")).where("scope", "=", p("scope")),
);

/** The next scopes with an entry of an account, after a scope. */
export const listScopesOf = prepare<{ userId: string; afterScope: string; limit: number }>("search.listScopesOf").many(
  ({ db, p }) =>
    db
      .selectFrom("search_entries")
      .select("scope")
      .where("userId", "=", p("userId"))
      .where("scope", ">", p("afterScope"))
      .orderBy("scope")
      .limit(p("limit")),
);

/** Sets the text of an account's entries in a range of scopes. */
export const refreshEntries = prepare<{ userId: string; afterScope: string; lastScope: string; content: string }>(
  "search.refresh",
).write(({ db, p }) =>
  db
    .updateTable("search_entries")
    .set({ content: p("content") })
    .where("userId", "=", p("userId"))
    .where("scope", ">", p("afterScope"))
    .where("scope", "<=", p("lastScope"))
    .where("isAccount", "=", 1),
);

export const upsertRefresh = prepare<{ userId: string; afterScope: string }>("search.upsertRefresh").write(
  ({ db, p, excluded }) =>
    db
      .insertInto("search_refreshes")
      .values({ userId: p("userId"), afterScope: p("afterScope") })
      .onConflict((conflict) => conflict.column("userId").doUpdateSet(excluded("afterScope"))),
);

/** Locks a due refresh, and skips those that another transaction has locked. */
export const lockRefresh = prepare("search.lockRefresh").one(({ db, forUpdateSkipLocked }) =>
  db
    .selectFrom("search_refreshes")
    .select(["userId", "afterScope"])
    .orderBy("userId")
    .limit(1)
    .modifyEnd(forUpdateSkipLocked),
);

export const findAnyRefresh = prepare("search.findAnyRefresh").one(({ db }) =>
  db.selectFrom("search_refreshes").select("userId").limit(1),
);

export const deleteRefresh = prepare<{ userId: string }>("search.deleteRefresh").write(({ db, p }) =>
  db.deleteFrom("search_refreshes").where("userId", "=", p("userId")),
);

/** The ordinal of the entry next to a position of a scope's list, on one side of it. */
const findOrdinal = (side: "below" | "above") =>
  prepare<{ scope: string; position: number }>(`search.findOrdinal-${side}`).one(({ db, p }) =>
    db
      .selectFrom("search_entries")
      .select("ordinal")
      .where("scope", "=", p("scope"))
      .where("position", side === "below" ? "<" : ">", p("position"))
      .orderBy("position", side === "below" ? "desc" : "asc")
      .limit(1),
  );
export const findOrdinalBelow = findOrdinal("below");
export const findOrdinalAbove = findOrdinal("above");

type RangeParams = { scope: string; from: number; to: number; limit: number };

const listContaining = (order: "asc" | "desc") =>
  prepare<RangeParams & { needle: string; other: string }>(`search.listContaining-${order}`).many(
    ({ db, p, contains }) =>
      db
        .selectFrom("search_entries as entry")
        .select(["entry.ordinal", "entry.userId", "entry.content"])
        .where("entry.scope", "=", p("scope"))
        .where("entry.ordinal", ">=", p("from"))
        .where("entry.ordinal", "<=", p("to"))
        .where(({ or, ref }) => or([contains(ref("entry.content"), "needle"), contains(ref("entry.content"), "other")]))
        .orderBy("entry.ordinal", order)
        .limit(p("limit")),
  );

/** The entries of a range that contain one of two texts, found by a scan. */
export const listEntries = { asc: listContaining("asc"), desc: listContaining("desc") };

/** The ids of items, of those in a JSON array, whose entries contain one of two texts. By the bare scope PostgreSQL might read the list whole. */
export const listAmong = prepare<{ scope: string; ids: string; needle: string; other: string }>(
  "search.listAmong",
).many(({ db, p, elements, contains }) =>
  db
    .selectFrom("search_entries")
    .select("userId")
    .where("userId", "in", elements("ids"))
    .where(sql<boolean>`scope || '' = ${p("scope")}`)
    .where(({ or, ref }) => or([contains(ref("content"), "needle"), contains(ref("content"), "other")])),
);

const listCandidates = (order: "asc" | "desc") =>
  prepare<RangeParams & { described: string }>(`search.listCandidates-${order}`).many(({ db, searchCandidates }) =>
    db.selectFrom(searchCandidates(order)).select(["found.ordinal", "found.userId", "found.content"]),
  );
const candidates = { asc: listCandidates("asc"), desc: listCandidates("desc") };

/** The first entries of a range that the index has for some trigrams, in no order. */
export async function findCandidates(
  tx: Tx,
  order: "asc" | "desc",
  range: SearchRange,
  limit: number,
): Promise<Candidate[]> {
  const { scope, from, to } = range;
  return await candidates[order](tx, { scope, from, to, limit, described: describeRange(tx.engine, range) });
}

/** The beginning of an entry's text: its index has no more. */
export const KEY_LENGTH = 300;
const KEY = sql<string>`substr(content, 1, ${sql.lit(KEY_LENGTH)})`;

/** The entries of accounts in the order of their texts, which begin with names. */
export const listByName = prepareSorted<{ scope: string }>("search.listByName")(
  ({ db, p }) =>
    db
      .selectFrom("search_entries")
      .select(["userId", "position", "content", KEY.as("key")])
      .where("scope", "=", p("scope"))
      .where("isAccount", "=", sql.lit(1)),
  { key: KEY, position: sql<number>`position` },
);
