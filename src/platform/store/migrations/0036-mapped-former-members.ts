import type { Migration } from "./migration.ts";

/** Notes of former members whose membership belonged to a role mapping; for those before, of whom an event says that a mapping ended it. */
export const mappedFormerMembers: Migration = {
  version: 36,
  name: "mapped-former-members",
  statements: () => [
    `alter table former_members add column is_mapped integer not null default 0`,
    `update former_members set is_mapped = 1 where is_removed = 0 and exists (
      select 1 from events where events.owner_id = former_members.team_id and events.entity_id = former_members.user_id
        and events.type = 'team-member-delete' and events.created_at >= former_members.ended_at
        and events.payload like '%"reason":"role mapping"%'
    )`,
  ],
};
