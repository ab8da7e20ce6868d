import type { Dialect, Migration } from "./migration.ts";

/** When attack challenge mode was switched on; null: it is off, or nobody has changed it since this migration. */
export const attackModeSince: Migration = {
  version: 30,
  name: "attack-mode-since",
  statements: ({ big }: Dialect) => [`alter table attack_modes add column enabled_at ${big}`],
};
