import type { Dialect, Migration } from "./migration.ts";

/** What bots publish about themselves, by which gates verify their requests. */
export const verifiedBots: Migration = {
  version: 22,
  name: "verified-bots",
  statements: ({ text, big, clustered }: Dialect) => [
    // url: where it is published, as configured. facts: JSON array of networks, or of public keys.
    `create table verified_bots (
      url ${text} primary key,
      name ${text} not null,
      kind ${text} not null,
      facts ${text} not null,
      checked_at ${big} not null
    ) ${clustered}`,
  ],
};
