import type { Migration } from "./migration.ts";

/** The list of secrets in its order, with the names that a search compares: it reads no row that does not match. */
export const secretSearch: Migration = {
  version: 34,
  name: "secret-search",
  statements: () => [
    `drop index secrets_live`,
    `create index secrets_live on secrets (owner_id, position, name_key) where deleted_at is null`,
  ],
};
