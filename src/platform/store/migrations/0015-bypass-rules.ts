import type { Dialect, Migration } from "./migration.ts";

/** Rules under which requests for a domain need not pass the challenges of the system. */
export const bypassRules: Migration = {
  version: 15,
  name: "bypass-rules",
  statements: ({ text, big, clustered }: Dialect) => [
    // domain: as in `firewall_bypasses`. condition_group: JSON. cost: the highest for a request. actor_id: the last author.
    `create table firewall_bypass_rules (
      owner_id ${text} not null,
      project_id ${text} not null,
      domain ${text} not null,
      condition_group ${text} not null,
      cost ${big} not null,
      note ${text} not null,
      creator_id ${text} not null,
      actor_id ${text} not null,
      created_at ${big} not null,
      updated_at ${big} not null,
      primary key (owner_id, project_id, domain),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    ) ${clustered}`,
  ],
};
