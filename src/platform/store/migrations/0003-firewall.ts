import type { Dialect, Migration } from "./migration.ts";

/** Projects and their protection: firewall configurations, attack challenge mode and the bypass list. */
export const firewall: Migration = {
  version: 3,
  name: "firewall",
  statements: ({ text, big, clustered }: Dialect) => [
    // Names under which an owner has stored something. id: chosen by the caller, opaque. user_id: the account that owns the
    // project, unless a team does.
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
    // A row for each project that has or had a configuration or a draft. active_version: null until one is activated.
    // last_version: 0 until there is one. draft_changes: JSON array of what makes the draft out of the active version; null:
    // there is no draft. draft_revision: counts the changes of all drafts, and every activation, since each changes the result of
    // the draft.
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
    // Never changed once written. version: counts those of the project. based_on: the version that was active when this one was
    // made. is_enabled: the document's `firewallEnabled`, for reads without the document. creator_name: at the time. size: bytes
    // of the document. document: JSON, in the form in which it is served.
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
    // active_until: when it ends by itself; null: never, or it is off.
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
    // Sources that attack mode does not challenge. id: made of project, domain and network, so that each combination is unique.
    // domain: a host's name or `*.name`, in lower case; `*`: the whole project. ip: canonical network; null: all sources. source:
    // the network as given.
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
    // Requests of a host in an hour: the usual traffic there. hour: its beginning. squares: sum of the squares of its minutes'
    // totals. peak: total of its busiest minute.
    `create table firewall_traffic_hours (
      owner_id ${text} not null,
      project_id ${text} not null,
      host ${text} not null,
      hour ${big} not null,
      total ${big} not null,
      squares double precision not null,
      peak ${big} not null,
      primary key (owner_id, project_id, host, hour),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    ) ${clustered}`,
    `create index firewall_traffic_hours_busy on firewall_traffic_hours (owner_id, project_id, hour) where peak >= 1000`,
    `create index firewall_traffic_hours_age on firewall_traffic_hours (hour, owner_id, project_id, host)`,
    // Requests of a host in a minute; the empty host is the whole project. entries: rows that the minute has in
    // `firewall_traffic`, of a host those with an address, of the whole project all.
    `create table firewall_traffic_minutes (
      owner_id ${text} not null,
      project_id ${text} not null,
      host ${text} not null,
      minute ${big} not null,
      total ${big} not null,
      denied ${big} not null,
      challenged ${big} not null,
      entries integer not null,
      primary key (owner_id, project_id, host, minute),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    ) ${clustered}`,
    `create index firewall_traffic_minutes_age on firewall_traffic_minutes (minute, owner_id, project_id, host)`,
    // Requests with an outcome in a minute. host `*`: all beyond those with rows of their own. ip empty: unknown, or all beyond
    // those with rows. rule_id empty: no rule.
    `create table firewall_traffic (
      owner_id ${text} not null,
      project_id ${text} not null,
      host ${text} not null,
      minute ${big} not null,
      ip ${text} not null,
      action ${text} not null,
      rule_id ${text} not null,
      count ${big} not null,
      primary key (owner_id, project_id, host, minute, ip, action, rule_id),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    ) ${clustered}`,
    `create index firewall_traffic_minute on firewall_traffic (owner_id, project_id, minute)`,
    // Requests of a project in an hour, by outcome and rule. rule_id empty: no rule, or all beyond those with rows of their own.
    `create table firewall_traffic_rules (
      owner_id ${text} not null,
      project_id ${text} not null,
      hour ${big} not null,
      action ${text} not null,
      rule_id ${text} not null,
      count ${big} not null,
      primary key (owner_id, project_id, hour, action, rule_id),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    ) ${clustered}`,
    `create index firewall_traffic_rules_age on firewall_traffic_rules (hour, owner_id, project_id)`,
  ],
};
