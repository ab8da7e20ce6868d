import type { Dialect, Migration } from "./migration.ts";

/** The permissions of its role that an API key has; null, as for every key from before: all of them. */
export const keyPermissions: Migration = {
  version: 21,
  name: "key-permissions",
  statements: ({ text }: Dialect) => [`alter table api_keys add column permissions ${text}`],
};
