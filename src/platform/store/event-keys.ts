// On SQLite, the index behind the filters of events. Each key begins with a value of its own, so an index of the events table is written
// to one more page for each of them at every change. These keys are written for many events of an owner at once, which share pages.
// The newest events of an owner are in no index: they are few, and readers look at each.
import { sql } from "kysely";
import type { Expression } from "kysely";
import type { Engine } from "../kernel/tx.ts";

/** Events of an owner whose keys are written together: up to one less is in no index. */
const KEYED_TOGETHER = 128;

/** What the keys of events begin with, by its number in the table; `type` has no id. */
const LEADS = { type: 0, entity: 1, project: 2, principal: 3 } as const;
export type Lead = keyof typeof LEADS;

/** The number of a lead in the column `lead` of `event_keys`. */
export const leadNumber = (lead: Lead): number => LEADS[lead];

/** The sequence up to which the keys of an owner's events are written, by that of the last one. */
export const keyedThrough = (last: Expression<number>) => sql<number>`${last} - ${last} % ${sql.lit(KEYED_TOGETHER)}`;

const CREATE = `create table event_keys (
  owner_id text not null, lead integer not null, id text not null, type text not null, sequence integer not null,
  primary key (owner_id, lead, id, type, sequence)
) without rowid`;

const idOf = (lead: Lead) => (lead === "type" ? "''" : `${lead}_id`);

/** The keys of the events that a condition says. */
const selectKeys = (from: string, where: string) =>
  (Object.keys(LEADS) as Lead[])
    .map(
      (lead) => `select owner_id, ${LEADS[lead]}, ${idOf(lead)}, type, sequence from ${from}
      where ${where}${lead === "project" ? " and project_id is not null" : ""}`,
    )
    .join(" union all ");

// Sequences have no gaps, so each event is among those of one multiple.
const KEEP = `create trigger events_keyed after insert on events when new.sequence % ${KEYED_TOGETHER} = 0 begin
  insert or ignore into event_keys (owner_id, lead, id, type, sequence) ${selectKeys(
    "events",
    `owner_id = new.owner_id and sequence > new.sequence - ${KEYED_TOGETHER} and sequence <= new.sequence`,
  )};
end`;

const REMOVE = `create trigger events_unkeyed after delete on events begin
  ${(Object.keys(LEADS) as Lead[])
    .map(
      (lead) => `delete from event_keys where owner_id = old.owner_id and lead = ${LEADS[lead]}
      and id = ${lead === "type" ? idOf(lead) : `old.${idOf(lead)}`} and type = old.type and sequence = old.sequence;`,
    )
    .join("\n  ")}
end`;

const FILL = `insert into event_keys (owner_id, lead, id, type, sequence)
  with keyed (owner_id, through) as (
    select owner_id, max(sequence) - max(sequence) % ${KEYED_TOGETHER} from events group by owner_id
  )
  ${selectKeys("events join keyed using (owner_id)", "sequence <= through")} order by 1, 2, 3, 4, 5`;

/** The statements that make the keys and fill them from the events. They are derived, and no part of the schema's tables. */
export function eventKeyParts(engine: Engine): readonly string[] {
  return engine === "sqlite" ? [CREATE, FILL, KEEP, REMOVE] : [];
}
