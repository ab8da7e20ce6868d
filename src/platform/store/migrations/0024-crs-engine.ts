import type { Dialect, Migration } from "./migration.ts";

/** The engine that enforces the categories of attacks of a firewall, as a gate has reported it, and when; null: none. */
export const crsEngine: Migration = {
  version: 24,
  name: "crs-engine",
  statements: ({ text, big }: Dialect) => [
    `alter table firewalls add column crs_engine ${text}`,
    `alter table firewalls add column crs_engine_at ${big}`,
    "create index firewalls_by_crs_engine on firewalls (crs_engine_at) where crs_engine_at is not null",
  ],
};
