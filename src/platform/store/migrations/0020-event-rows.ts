import { EVENT_INDEXES, eventColumns } from "./0001-foundation.ts";
import type { Dialect, Migration } from "./migration.ts";

/**
 * On SQLite, keeps events in the order in which they were stored, found by an index. Rows in the order of their key are an index
 * themselves, and one of more than a quarter of a page has the rest on a page of its own: a look-up compared whole rows, and an event
 * was written to two pages. PostgreSQL has always kept them like this.
 */
export const eventRows: Migration = {
  version: 20,
  name: "event-rows",
  statements: (dialect: Dialect) =>
    dialect.clustered === ""
      ? []
      : [
          `create table event_rows ${eventColumns(dialect)}`,
          `insert into event_rows select * from events order by owner_id, sequence`,
          `drop table events`,
          `alter table event_rows rename to events`,
          ...EVENT_INDEXES,
          `create index events_instance on events (created_at, owner_id, sequence)`,
        ],
};
