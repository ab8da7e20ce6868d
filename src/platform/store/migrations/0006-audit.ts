import type { Dialect, Migration } from "./migration.ts";

/**
 * The readers of the events of a deleted team, and the order of the events of all owners. The OWNERs of a team that was deleted
 * before are unknown: only administrators read its events, by its id.
 */
export const audit: Migration = {
  version: 6,
  name: "audit",
  statements: ({ text, big, clustered }: Dialect) => [
    // slug: the last one, which another team may have taken since; the id of teams that were deleted before.
    `create table deleted_teams (
      id ${text} primary key references owners (id),
      slug ${text} not null,
      name ${text},
      deleted_at ${big} not null
    )`,
    `create index deleted_teams_slug on deleted_teams (slug, deleted_at)`,
    `create index deleted_teams_time on deleted_teams (deleted_at)`,
    // The OWNERs of a deleted team, as of its deletion.
    `create table deleted_team_owners (
      user_id ${text} not null references users (id) on delete cascade,
      team_id ${text} not null references deleted_teams (id) on delete cascade,
      primary key (user_id, team_id)
    ) ${clustered}`,
    `create index deleted_team_owners_team on deleted_team_owners (team_id)`,
    `insert into deleted_teams (id, slug, deleted_at)
      select id, id, event_at from owners where kind = 'team' and id not in (select id from teams)`,
    `create index events_instance on events (created_at, owner_id, sequence)`,
  ],
};
