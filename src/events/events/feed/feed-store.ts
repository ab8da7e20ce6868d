// Statements that read the feed. Each reads ranges of one index, so a page costs the same however long the chain is.
import { sql } from "kysely";
import type { Expression, RawBuilder } from "kysely";
import { eventsAt } from "../../../platform/store/events-at.ts";
import { LAST_TEXT, firstOfRange, rangeOf } from "../../../platform/store/list-order.ts";
import type { Key, Order } from "../../../platform/store/list-order.ts";
import { prepare } from "../../../platform/store/prepared.ts";
import type { Build } from "../../../platform/store/build.ts";
import type { Tables } from "../../../platform/store/tables/tables.ts";

export type EventRow = Tables["events"];

/** An index that leads with an id, and then has the type. */
export type IdLead = "entity" | "project" | "principal";
/** Which index is read: by type alone, or by an id and then by type. */
export type Lead = "type" | IdLead;
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

/** The condition of the partial index on projects, without which the planner cannot use it. */
function requireLead(lead: Lead): RawBuilder<unknown> {
  return lead === "project" ? sql`and project_id is not null` : sql``;
}

/** The index of a lead, with the values of a stream. */
function keyOf(lead: Lead, ownerId: Expression<string>, field: (name: string) => Expression<string>): Key {
  const leading = lead === "type" ? [] : [sql.ref(`${lead}_id`)];
  const columns = [sql.ref("ownerId"), ...leading, sql.ref("type"), sql.ref("sequence")];
  return { columns, values: [ownerId, ...leading.map(() => field(lead)), field("type")] };
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
  findInStreams(lead, ({ p }, field, order) => {
    const bounds = { after: p("after"), before: p("before") };
    const isPresent = requireLead(lead);
    const first = firstOfRange("events", keyOf(lead, p("ownerId"), field), bounds, order, p("limit"), { isPresent });
    return sql<{ sequence: number }>`select sequence from ${first} as first`;
  });

/**
 * The events under several ids, by the index of each: it looks for the next event in one index, from there on in the next one, and so on in
 * turn. Where they agree is a match. So it reads as many rows as the rarest id has at most, however many the others have.
 */
const findByAll = (...leads: readonly IdLead[]) =>
  findInStreams(leads.join("-"), ({ p }, field, order) => {
    const bounds = { after: p("after"), before: p("before") };
    /** The sequence of the first event under an id, from a bound on. */
    const look = (lead: IdLead, from: Partial<typeof bounds>) => {
      const key = keyOf(lead, p("ownerId"), field);
      const isPresent = requireLead(lead);
      const first = firstOfRange("events", key, { ...bounds, ...from }, order, sql.lit(1), { isPresent });
      return sql<number>`(select sequence from ${first} as first)`;
    };
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
    const { db, p, objects, member } = build;
    const columns = ["ownerId", `${lead}_id`, "type"].map((column) => sql.ref(column));
    const next = (id: Expression<unknown>, after: Expression<unknown>) => {
      const key = { columns, values: [p("ownerId"), id] };
      const { isWithin, inOrder } = rangeOf(key, { after, before: LAST_TEXT }, "asc");
      return sql`(select type from events where ${isWithin} ${requireLead(lead)} order by ${inOrder} limit 1)`;
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

/** The last event before a time (ms). Times never decrease along a chain. */
export const findLastBefore = prepare<{ ownerId: string; time: number }>("events.findLastBefore").one(({ db, p }) =>
  db
    .selectFrom("events")
    .select("sequence")
    .where("ownerId", "=", p("ownerId"))
    .where("createdAt", "<", p("time"))
    .orderBy("createdAt", "desc")
    .orderBy("sequence", "desc")
    .limit(1),
);
