import type { Dialect, Migration } from "./migration.ts";

/**
 * On SQLite, keeps events in the order in which they were stored, found by an index. Rows in the order of their key are an index
 * themselves, and one of more than a quarter of a page has the rest on a page of its own: a look-up compared whole rows, and an event
 * was written to two pages. PostgreSQL has always kept them like this.
 */
export const eventRows: Migration = {
  version: 20,
  name: "event-rows",
  statements: ({ text, big, clustered }: Dialect) =>
    clustered === ""
      ? []
      : [
          `create table event_rows (
            owner_id ${text} not null references owners (id),
            sequence ${big} not null,
            id ${text} not null,
            type ${text} not null,
            created_at ${big} not null,
            actor_kind ${text} not null,
            principal_id ${text} not null,
            user_id ${text},
            credential_id ${text},
            actor ${text} not null,
            via ${text} not null,
            ip ${text} not null,
            user_agent ${text},
            request_id ${text} not null,
            entity_id ${text} not null,
            project_id ${text},
            text ${text} not null,
            entities ${text} not null,
            payload ${text} not null,
            previous ${text},
            next ${text},
            hash ${text} not null,
            primary key (owner_id, sequence)
          )`,
          `insert into event_rows select * from events order by owner_id, sequence`,
          `drop table events`,
          `alter table event_rows rename to events`,
          `create index events_time on events (owner_id, created_at, sequence)`,
          `create index events_type on events (owner_id, type, sequence)`,
          `create index events_principal on events (owner_id, principal_id, type, sequence)`,
          `create index events_entity on events (owner_id, entity_id, type, sequence)`,
          `create index events_project on events (owner_id, project_id, type, sequence) where project_id is not null`,
          `create index events_instance on events (created_at, owner_id, sequence)`,
        ],
};
