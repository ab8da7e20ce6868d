import type { Dialect, Migration } from "./migration.ts";

/**
 * Attack challenge mode that switches itself: who has set the mode, the switch of the automatic with what is usual for the project,
 * and what a minute was like beside its requests.
 */
export const attackModeAutomatic: Migration = {
  version: 25,
  name: "attack-mode-automatic",
  statements: ({ text, big, clustered }: Dialect) => [
    // Who set the present state: a `person`, the `automatic`, or its `end`.
    `alter table attack_modes add column set_by ${text} not null default 'person'`,
    // A row for each project where somebody has switched it on or off. history_since: the first minute that was learned from;
    // null: there was none. usual_...: in a minute, latency in ms; null: not known yet.
    `create table attack_mode_automatic (
      owner_id ${text} not null,
      project_id ${text} not null,
      is_enabled integer not null,
      updated_at ${big} not null,
      revision ${big} not null,
      learned_at ${big} not null,
      history_since ${big},
      usual_requests ${big},
      usual_errors ${big},
      usual_latency ${big},
      primary key (owner_id, project_id),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    ) ${clustered}`,
    `create index attack_mode_automatic_learned on attack_mode_automatic (learned_at) where is_enabled = 1`,
    // There is no row when all of it is 0. attack_mode: whether it was on; what was counted then is not usual. responses: of the
    // application. errors: those with status 500 or more. latencies: JSON array of counts by latency
    // (platform/kernel/telemetry/latencies.ts). latency: ms within which 19 of 20 responses began. Null: none, or too few, were
    // measured.
    `create table firewall_minutes (
      owner_id ${text} not null,
      project_id ${text} not null,
      minute ${big} not null,
      attack_mode integer not null,
      responses ${big} not null,
      errors ${big} not null,
      latencies ${text},
      latency ${big},
      primary key (owner_id, project_id, minute),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    ) ${clustered}`,
    `create index firewall_minutes_age on firewall_minutes (minute, owner_id, project_id)`,
  ],
};
