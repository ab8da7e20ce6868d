import type { Dialect, Migration } from "./migration.ts";

/** Deleted owners whose rows are still being removed. */
export const removals: Migration = {
  version: 14,
  name: "removals",
  statements: ({ text, big }: Dialect) => [
    // A row until all rows of its owner are removed; nobody can see the owner meanwhile. departure: of an account, its
    // `AccountRemoval` (platform/store/removals/remove.ts) as JSON; null for a team.
    `create table removals (
      owner_id ${text} primary key references owners (id),
      begun_at ${big} not null,
      removed ${big} not null,
      departure ${text}
    )`,
  ],
};
