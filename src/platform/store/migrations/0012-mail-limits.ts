import type { Dialect, Migration } from "./migration.ts";

/** The number of mails that a user or a team has caused on a day, and the recipients who want no more mail from a team. */
export const mailLimits: Migration = {
  version: 12,
  name: "mail limits",
  statements: ({ text, big, clustered }: Dialect) => [
    // Stored so that a restart does not reset it. day: since the epoch, UTC.
    `create table mail_counts (
      day ${big} not null,
      owner_id ${text} not null,
      mails ${big} not null,
      primary key (day, owner_id)
    ) ${clustered}`,
    // recipient: a keyed hash of the address.
    `create table mail_stops (
      team_id ${text} not null references teams (id) on delete cascade,
      recipient ${text} not null,
      created_at ${big} not null,
      primary key (team_id, recipient)
    ) ${clustered}`,
    // One row, `current`: the keys that hash recipients and sign links.
    `create table mail_link_keys (
      slot ${text} primary key,
      secret ${text} not null
    ) ${clustered}`,
  ],
};
