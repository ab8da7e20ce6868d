import type { Dialect, Migration } from "../migration.ts";

/** Projects, with what protects each: firewall configurations, attack challenge mode and the bypass list. */
export const firewall: Migration = {
  version: 3,
  name: "firewall",
  statements: ({ text, big, clustered }: Dialect) => [
    `create table projects (
      owner_id ${text} not null references owners (id),
      id ${text} not null,
      team_id ${text} references teams (id) on delete cascade,
      user_id ${text} references users (id) on delete cascade,
      created_at ${big} not null,
      position ${big} not null,
      primary key (owner_id, id)
    ) ${clustered}`,
    `create unique index projects_position on projects (owner_id, position)`,
    `create index projects_team on projects (team_id)`,
    `create index projects_user on projects (user_id)`,
    `create table firewalls (
      owner_id ${text} not null,
      project_id ${text} not null,
      active_version ${big},
      last_version ${big} not null,
      activated_at ${big},
      draft_changes ${text},
      draft_note ${text},
      draft_creator_id ${text},
      draft_creator_name ${text},
      draft_updated_at ${big},
      draft_revision ${big} not null default 0,
      primary key (owner_id, project_id),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    ) ${clustered}`,
    `create table firewall_versions (
      owner_id ${text} not null,
      project_id ${text} not null,
      version ${big} not null,
      id ${text} not null,
      based_on ${big},
      is_enabled integer not null,
      change_count integer not null,
      cost integer not null,
      note ${text},
      creator_id ${text},
      creator_name ${text} not null,
      created_at ${big} not null,
      position ${big} not null,
      size integer not null,
      document ${text} not null,
      primary key (owner_id, project_id, version),
      foreign key (owner_id, project_id) references firewalls (owner_id, project_id) on delete cascade
    )`,
    `create unique index firewall_versions_position on firewall_versions (owner_id, project_id, position)`,
    `create table attack_modes (
      owner_id ${text} not null,
      project_id ${text} not null,
      is_enabled integer not null,
      active_until ${big},
      updated_at ${big} not null,
      revision ${big} not null default 1,
      primary key (owner_id, project_id),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    ) ${clustered}`,
    `create index attack_modes_end on attack_modes (active_until) where active_until is not null`,
    `create table firewall_bypasses (
      owner_id ${text} not null,
      project_id ${text} not null,
      id ${text} not null,
      domain ${text} not null,
      ip ${text},
      source ${text} not null,
      note ${text} not null,
      actor_id ${text} not null,
      expires_at ${big},
      created_at ${big} not null,
      updated_at ${big} not null,
      primary key (owner_id, project_id, id),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    ) ${clustered}`,
    `create index firewall_bypasses_end on firewall_bypasses (expires_at) where expires_at is not null`,
  ],
};
