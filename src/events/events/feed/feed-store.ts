// Statements that read the feed. Each reads ranges of one index, so a page costs the same however long the chain is.
import { sql } from "kysely";
import type { Expression, RawBuilder } from "kysely";
import { eventsAt } from "../../../platform/store/events-at.ts";
import { LAST_TEXT, firstOfRange, rangeOf } from "../../../platform/store/list-order.ts";
import { prepare } from "../../../platform/store/prepared.ts";
import type { Build } from "../../../platform/store/build.ts";
import type { Tables } from "../../../platform/store/tables/tables.ts";

export type EventRow = Tables["events"];

/** Which index is read: by type alone, or by an id and then by type. */
export type Lead = "type" | IdLead;
export type IdLead = "entity" | "project" | "principal";
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
  /** JSON array of `{type, lead}`: the ranges to read; `lead` is the id that the index leads with. */
  streams: string;
  /** JSON arrays of ids that filter further; null: any. */
  projectIds: string | null;
  principalIds: string | null;
};

/** Conditions that are not part of the index. In the worst case every event under the leading id is examined. */
const NARROWED_BY: Readonly<Partial<Record<Lead, readonly ("projectIds" | "principalIds")[]>>> = {
  entity: ["projectIds", "principalIds"],
  project: ["principalIds"],
};
const COLUMN_OF = { projectIds: "projectId", principalIds: "principalId" } as const;

/** The condition of the partial index on projects, without which the planner cannot use it. */
function requireLead(lead: Lead): RawBuilder<unknown> {
  return lead === "project" ? sql`and project_id is not null` : sql``;
}

function narrow({ p, elements }: Build<StreamParams>, lead: Lead): RawBuilder<unknown> {
  const conditions = (NARROWED_BY[lead] ?? []).map((param) => {
    const column = sql.ref(COLUMN_OF[param]);
    return sql`and (cast(${p(param)} as text) is null or ${column} in ${elements(param)})`;
  });
  return sql.join([...conditions, requireLead(lead)], sql` `);
}

/** The sequences of the first events of each stream, merged. */
const findInStreams = (lead: Lead, direction: Direction, isNarrowed: boolean) =>
  prepare<StreamParams>(`events.find-${direction}-by-${lead}${isNarrowed ? "-narrowed" : ""}`).many((build) => {
    const { db, p, eachElement } = build;
    const order = direction === "newest" ? "desc" : "asc";
    const bounds = { after: p("after"), before: p("before") };
    const found = eachElement("streams", (field) => {
      const leading = lead === "type" ? [] : [sql.ref(`${lead}_id`)];
      const columns = [sql.ref("ownerId"), ...leading, sql.ref("type"), sql.ref("sequence")];
      const key = { columns, values: [p("ownerId"), ...leading.map(() => field("lead")), field("type")] };
      if (!isNarrowed) {
        const first = firstOfRange("events", key, bounds, order, p("limit"), { isPresent: requireLead(lead) });
        return sql<{ sequence: number }>`select sequence from ${first} as first`;
      }
      const { isWithin, inOrder } = rangeOf(key, bounds, order);
      return sql<{ sequence: number }>`select sequence from events
        where ${isWithin} ${narrow(build, lead)} order by ${inOrder} limit ${p("limit")}`;
    });
    return db.selectFrom(found.as("found")).select("found.sequence").orderBy("found.sequence", order).limit(p("limit"));
  });

const inBothDirections = (lead: Lead, isNarrowed = false) => ({
  newest: findInStreams(lead, "newest", isNarrowed),
  oldest: findInStreams(lead, "oldest", isNarrowed),
});

export const findSequences = {
  type: inBothDirections("type"),
  entity: inBothDirections("entity"),
  project: inBothDirections("project"),
  principal: inBothDirections("principal"),
};

/** By more ids than the index leads with. */
export const findNarrowed = { entity: inBothDirections("entity", true), project: inBothDirections("project", true) };

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
