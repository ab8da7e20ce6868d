import type { Migration } from "./migration.ts";

/**
 * Indexes of versions that serve one kind of statement each: the one that repeats the index's condition, which every row meets. An equal
 * owner and project would otherwise leave PostgreSQL a choice of indexes. Where it expects one row of each, it takes any of them, and reads
 * all versions of the project, or of the owner, to find one.
 */
export const versionIndexes: Migration = {
  version: 38,
  name: "version-indexes",
  oldestBeside: 37,
  statements: () => [
    "drop index firewall_versions_position",
    "drop index firewall_versions_age",
    "drop index environment_versions_position",
    "drop index environment_versions_age",
    `create unique index firewall_versions_position on firewall_versions (owner_id, project_id, position) where version > 0`,
    `create index firewall_versions_age on firewall_versions (owner_id, position, size) where size >= 0`,
    `create unique index environment_versions_position on environment_versions (owner_id, project_id, name, position)
      where version > 0`,
    `create index environment_versions_age on environment_versions (owner_id, position, size) where size >= 0`,
  ],
};
