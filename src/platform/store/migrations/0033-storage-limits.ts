import type { Migration } from "./migration.ts";

/** What limits of storage count: the teams that an account has made, and the sizes of versions by their age. */
export const storageLimits: Migration = {
  version: 33,
  name: "storage-limits",
  statements: () => [
    "create index teams_creator on teams (creator_id)",
    "create index firewall_versions_age on firewall_versions (owner_id, position, size)",
    "create index environment_versions_age on environment_versions (owner_id, position, size)",
    "create index gate_decisions_owner on gate_decisions (owner_id, position)",
    "create index secret_versions_large on secret_versions (owner_id, size) where size > 4096",
  ],
};
