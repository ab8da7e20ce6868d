import type { Dialect, Migration } from "./migration.ts";

/** The former members of teams, and the accounts and keys that have seen codes of invites. */
export const joining: Migration = {
  version: 7,
  name: "joining",
  statements: ({ text, big, clustered }: Dialect) => [
    // A row is deleted when its user joins again. role: the last one. is_removed: by somebody else.
    `create table former_members (
      team_id ${text} not null references teams (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      role ${text} not null,
      is_removed integer not null,
      ended_at ${big} not null,
      primary key (team_id, user_id)
    ) ${clustered}`,
    `create index former_members_user on former_members (user_id)`,
    // The account or API key that has seen the present code.
    `alter table invites add column issued_to ${text} not null default ''`,
    `update invites set issued_to = created_by`,
  ],
};
