// Statements that read the feed. Each reads ranges of one index, so a page costs the same however long the chain is.
import { sql } from "kysely";
import type { Expression, RawBuilder } from "kysely";
import { keyedThrough, leadNumber } from "../../../platform/store/event-keys.ts";
import type { Lead } from "../../../platform/store/event-keys.ts";
import { eventsAt } from "../../../platform/store/events-at.ts";
import { LAST_TEXT, firstOfRange, rangeOf } from "../../../platform/store/list-order.ts";
import type { Ends, Order } from "../../../platform/store/list-order.ts";
import { prepare } from "../../../platform/store/prepared.ts";
import type { Build } from "../../../platform/store/build.ts";
import type { Tables } from "../../../platform/store/tables/tables.ts";

export type { Lead };
export type EventRow = Tables["events"];

/** An index that leads with an id, and then has the type. */
export type IdLead = Exclude<Lead, "type">;
export type Direction = "newest" | "oldest";

type RangeParams = { ownerId: string; after: number; before: number; limit: number };

/** The events between two sequences, unfiltered. */
const findInRange = (direction: Direction) =>
  prepare<RangeParams>(`events.find-${direction}`).many(({ db, p }) =>
    db
      .selectFrom("events")
      .selectAll()
      .where("ownerId", "=", p("ownerId"))
      .where("sequence", ">", p("after"))
      .where("sequence", "<", p("before"))
      .orderBy("sequence", direction === "newest" ? "desc" : "asc")
      .limit(p("limit")),
  );

export const findEvents = { newest: findInRange("newest"), oldest: findInRange("oldest") };

type StreamParams = RangeParams & {
  /** JSON array of the ranges to read: `type`, and by its name each id that an index leads with. */
  streams: string;
};

/** Where the keys of a lead are, with the columns that have one value in a stream, and these. */
interface Keys {
  readonly table: "events" | "event_keys";
  readonly columns: readonly Expression<unknown>[];
  readonly values: readonly Expression<unknown>[];
  /** The condition of a partial index, without which PostgreSQL cannot use it. */
  readonly isPresent: RawBuilder<unknown>;
}

/** On SQLite the keys of platform/store/event-keys.ts, on PostgreSQL an index: by type alone, or by an id and then by type. */
function keysOf(lead: Lead, { engine, p }: Build<{ ownerId: string }>, id: () => Expression<unknown>): Keys {
  const ofOwner = { columns: [sql.ref("ownerId")], values: [p("ownerId")] };
  if (engine === "sqlite") {
    const values = [p("ownerId"), sql.lit(leadNumber(lead)), lead === "type" ? sql.lit("") : id()];
    return {
      table: "event_keys",
      columns: ["ownerId", "lead", "id"].map((name) => sql.ref(name)),
      values,
      isPresent: sql``,
    };
  }
  if (lead === "type") return { table: "events", ...ofOwner, isPresent: sql`` };
  return {
    table: "events",
    columns: [...ofOwner.columns, sql.ref(`${lead}_id`)],
    values: [...ofOwner.values, id()],
    isPresent: lead === "project" ? sql`and project_id is not null` : sql``,
  };
}

/** The first events of a stream between two sequences, in one index. */
function firstUnder(
  lead: Lead,
  build: Build<StreamParams>,
  field: (name: string) => Expression<string>,
  bounds: Ends,
  order: Order,
  limit: Expression<unknown>,
): RawBuilder<number> {
  const { table, columns, values, isPresent } = keysOf(lead, build, () => field(lead));
  const key = { columns: [...columns, sql.ref("type"), sql.ref("sequence")], values: [...values, field("type")] };
  return sql<number>`select sequence from ${firstOfRange(table, key, bounds, order, limit, { isPresent })} as first`;
}

/** Statements for the first events of each stream, merged; `select` selects their sequences in one stream. */
function findInStreams(
  name: string,
  select: (
    build: Build<StreamParams>,
    field: (name: string) => Expression<string>,
    order: Order,
  ) => Expression<{ sequence: number }>,
) {
  const inDirection = (direction: Direction) =>
    prepare<StreamParams>(`events.find-${direction}-by-${name}`).many((build) => {
      const { db, p, eachElement } = build;
      const order = direction === "newest" ? "desc" : "asc";
      const found = eachElement("streams", (field) => select(build, field, order)).as("found");
      return db.selectFrom(found).select("found.sequence").orderBy("found.sequence", order).limit(p("limit"));
    });
  return { newest: inDirection("newest"), oldest: inDirection("oldest") };
}

const findBy = (lead: Lead) =>
  findInStreams(lead, (build, field, order) => {
    const { p } = build;
    const bounds = { after: p("after"), before: p("before") };
    return firstUnder(lead, build, field, bounds, order, p("limit")) as unknown as Expression<{ sequence: number }>;
  });

/**
 * The events under several ids, by the index of each: it looks for the next event in one index, from there on in the next one, and so on in
 * turn. Where they agree is a match. So it reads as many rows as the rarest id has at most, however many the others have.
 */
const findByAll = (...leads: readonly IdLead[]) =>
  findInStreams(leads.join("-"), (build, field, order) => {
    const { p } = build;
    const bounds = { after: p("after"), before: p("before") };
    /** The sequence of the first event under an id, from a bound on. */
    const look = (lead: IdLead, from: Partial<typeof bounds>) =>
      sql<number>`(${firstUnder(lead, build, field, { ...bounds, ...from }, order, sql.lit(1))})`;
    /** How many indexes before have the same event. */
    const agreed = sql`case when walk.sequence = walk.previous then walk.agreed + 1 else 0 end`;
    const isMatch = sql`${agreed} = ${sql.lit(leads.length - 1)}`;
    const include = sql`case when ${isMatch} then 0 else 1 end`;
    const from =
      order === "desc"
        ? { before: sql<number>`walk.sequence + ${include}` }
        : { after: sql<number>`walk.sequence - ${include}` };
    const looks = leads.map((lead, at) => sql`when ${sql.lit(at)} then ${look(lead, from)}`);
    return sql<{ sequence: number }>`(with recursive walk (sequence, previous, agreed, next) as (
        select ${look(leads[0] as IdLead, {})}, cast(null as bigint), 0, 1
        union all
        select case walk.next ${sql.join(looks, sql` `)} end, walk.sequence, ${agreed}, (walk.next + 1) % ${sql.lit(leads.length)}
        from walk where walk.sequence is not null
      ) select walk.sequence from walk where ${isMatch} limit ${p("limit")})`;
  });

export type FindSequences = ReturnType<typeof findInStreams>;

/** By what the filter has ids of: `entity-principal`. */
export const findSequences: Readonly<Record<string, FindSequences>> = {
  type: findBy("type"),
  entity: findBy("entity"),
  project: findBy("project"),
  principal: findBy("principal"),
  "entity-project": findByAll("entity", "project"),
  "entity-principal": findByAll("entity", "principal"),
  "project-principal": findByAll("project", "principal"),
  "entity-project-principal": findByAll("entity", "project", "principal"),
};

/**
 * The types of the events under an id. It takes one lookup in the index for each type, however many events there are. `leads` is
 * a JSON array of `{lead}`.
 */
const findTypesBy = (lead: IdLead) =>
  prepare<{ ownerId: string; leads: string }>(`events.findTypes-by-${lead}`).many((build) => {
    const { db, objects, member } = build;
    const next = (id: Expression<unknown>, after: Expression<unknown>) => {
      const { table, columns, values, isPresent } = keysOf(lead, build, () => id);
      const key = { columns: [...columns, sql.ref("type")], values };
      const { isWithin, inOrder } = rangeOf(key, { after, before: LAST_TEXT }, "asc");
      return sql`(select type from ${sql.table(table)} where ${isWithin} ${isPresent} order by ${inOrder} limit 1)`;
    };
    return db
      .selectFrom(
        sql<{ lead: string; type: string }>`(with recursive present (lead, type) as (
          select ${member("lead")}, ${next(member("lead"), sql.lit(""))} from ${objects("leads")}
          union all
          select present.lead, ${next(sql`present.lead`, sql`present.type`)}
          from present where present.type is not null
        ) select lead, type from present where type is not null)`.as("presentTypes"),
      )
      .select(["lead", "type"]);
  });

export const findTypes = {
  entity: findTypesBy("entity"),
  project: findTypesBy("project"),
  principal: findTypesBy("principal"),
};

export const findEventsAt = prepare<{ ownerId: string; sequences: string }>("events.findAt").many((build) =>
  build.db.selectFrom(eventsAt(build)).selectAll(),
);

export type EventSize = { readonly sequence: number; readonly bytes: number };

/** The size of the columns that have no bound of their own. */
const SIZE = sql<number>`octet_length(payload) + coalesce(octet_length(previous), 0) + coalesce(octet_length(next), 0)`;

/** The sizes of the events between two sequences, oldest first. */
export const findSizes = prepare<RangeParams>("events.findSizes").many<EventSize>(({ db, p }) =>
  db
    .selectFrom("events")
    .select(["sequence", SIZE.as("bytes")])
    .where("ownerId", "=", p("ownerId"))
    .where("sequence", ">", p("after"))
    .where("sequence", "<", p("before"))
    .orderBy("sequence")
    .limit(p("limit")),
);

export const findSizesAt = prepare<{ ownerId: string; sequences: string }>("events.findSizesAt").many<EventSize>(
  (build) => build.db.selectFrom(eventsAt(build)).select(["sequence", SIZE.as("bytes")]),
);

/** The oldest stored event. */
export const findFirst = prepare<{ ownerId: string }>("events.findFirst").one(({ db, p }) =>
  db.selectFrom("events").select("sequence").where("ownerId", "=", p("ownerId")).orderBy("sequence").limit(1),
);

/** The events between two sequences, in the columns that filters compare. */
export const findCompared = prepare<{ ownerId: string; after: number; before: number }>("events.findCompared").many(
  ({ db, p }) =>
    db
      .selectFrom("events")
      .select(["sequence", "type", "entityId", "projectId", "principalId"])
      .where("ownerId", "=", p("ownerId"))
      .where("sequence", ">", p("after"))
      .where("sequence", "<", p("before"))
      .orderBy("sequence"),
);
export type ComparedEvent = Pick<EventRow, "type" | "entityId" | "projectId" | "principalId">;

/** Up to which sequence the filters of SQLite's indexes know the events of an owner; no row without events. */
export const findKeyed = prepare<{ ownerId: string }>("events.findKeyed").one(({ db, p }) =>
  db
    .selectFrom("events")
    .select(keyedThrough(sql<number>`sequence`).as("through"))
    .where("ownerId", "=", p("ownerId"))
    .orderBy("sequence", "desc")
    .limit(1),
);

/** The last event before a time (ms), by an index of PostgreSQL's, and by a binary search on SQLite. Times never decrease along a chain. */
export const findLastBefore = prepare<{ ownerId: string; time: number }>("events.findLastBefore").one(
  ({ db, p, engine }) => {
    const ofOwner = db.selectFrom("events").where("ownerId", "=", p("ownerId"));
    if (engine === "postgres") {
      return ofOwner
        .select("sequence")
        .where("createdAt", "<", p("time"))
        .orderBy("createdAt", "desc")
        .orderBy("sequence", "desc")
        .limit(1);
    }
    const end = (order: Order) => sql`(${ofOwner.select("sequence").orderBy("sequence", order).limit(1)})`;
    const middle = sql`(low + high + 1) / 2`;
    // That of the next event that is stored: somebody may have removed one.
    const at = ofOwner
      .where("sequence", ">=", sql<number>`${middle}`)
      .orderBy("sequence")
      .limit(1);
    const isEarlier = sql`(${at.select("createdAt")}) < ${p("time")}`;
    return db
      .selectFrom(
        sql<{ sequence: number }>`(with recursive halves (low, high) as (
        select coalesce(${end("asc")}, 1) - 1, coalesce(${end("desc")}, 0)
        union all
        select case when ${isEarlier} then ${middle} else low end, case when ${isEarlier} then high else ${middle} - 1 end
        from halves where low < high
      ) select low as sequence from halves where low >= high and low >= ${end("asc")})`.as("halved"),
      )
      .select("sequence");
  },
);
