import type { Dialect, Migration } from "./migration.ts";

/** When a trust rule last exchanged a token, to the minute; null: not yet, or before this migration. */
export const identityLastUse: Migration = {
  version: 29,
  name: "identity-last-use",
  statements: ({ big }: Dialect) => [`alter table identity_trusts add column active_at ${big}`],
};
