import type { Engine } from "../../kernel/tx.ts";
import type { Migration } from "./migration.ts";

/** Where it is told who a caller is and what they may do; and the events, of which every other change of a request writes one. */
export const WATCHED = [
  "users",
  "access_tokens",
  "api_keys",
  "sessions",
  "memberships",
  "teams",
  "removals",
  "events",
] as const;

/** Sessions of Reeve record their changes themselves, and have this name (platform/store/postgres/driver.ts). */
const RECORDS_ITSELF = "reeve-2";

/**
 * Whose rows the latest commits have changed: see platform/store/postgres/changed-owners.ts. The triggers record for other programs, and for
 * processes of an older version that go on running beside this one, that anything may have changed.
 */
export const changedOwnersOnPostgres: Migration = {
  version: 19,
  name: "changed-owners-on-postgres",
  statements: () => [],
  derived: (engine: Engine) =>
    engine === "sqlite"
      ? []
      : [
          // A restore leaves it as it is.
          `create table if not exists changed_owners (
            xid xid8 primary key default pg_current_xact_id(),
            owner_ids text,
            recorded_at timestamptz not null default clock_timestamp()
          )`,
          `create or replace function reeve_record_change() returns trigger language plpgsql as $$
            begin
              if current_setting('application_name') <> '${RECORDS_ITSELF}' then
                insert into changed_owners default values on conflict do nothing;
              end if;
              return null;
            end $$`,
          ...WATCHED.map(
            (table) => `create trigger record_change after insert or update or delete or truncate on ${table}
              for each statement execute function reeve_record_change()`,
          ),
        ],
};
