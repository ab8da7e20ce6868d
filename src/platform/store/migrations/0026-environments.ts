import type { Dialect, Migration } from "./migration.ts";

/** Environments of projects, and their versions, each with its whole document. */
export const environments: Migration = {
  version: 26,
  name: "environments",
  statements: ({ text, big, clustered }: Dialect) => [
    // A row for each one that was created or changed; those that every project has need none before. inherits_from: another
    // environment of the project. version: the newest, counts its changes. entry_count: of its own entries.
    `create table environments (
      owner_id ${text} not null,
      project_id ${text} not null,
      name ${text} not null,
      inherits_from ${text},
      version ${big} not null,
      entry_count integer not null,
      created_at ${big} not null,
      updated_at ${big} not null,
      primary key (owner_id, project_id, name),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    ) ${clustered}`,
    // Never changed once written. document: JSON, see environments/document-rules.ts. size: bytes of the document. restored_from:
    // the version whose entries a roll-back brought back.
    `create table environment_versions (
      owner_id ${text} not null,
      project_id ${text} not null,
      name ${text} not null,
      version ${big} not null,
      document ${text} not null,
      size integer not null,
      change_count integer not null,
      restored_from ${big},
      note ${text},
      creator_id ${text},
      creator_name ${text} not null,
      created_at ${big} not null,
      position ${big} not null,
      primary key (owner_id, project_id, name, version),
      foreign key (owner_id, project_id, name) references environments (owner_id, project_id, name) on delete cascade
    ) ${clustered}`,
    `create unique index environment_versions_position on environment_versions (owner_id, project_id, name, position)`,
  ],
};
