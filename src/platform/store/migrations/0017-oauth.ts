import type { Dialect, Migration } from "./migration.ts";

/** The authorization server: its short-lived records, and which client an access token was issued to. */
export const oauth: Migration = {
  version: 17,
  name: "oauth",
  statements: ({ text, big, clustered }: Dialect) => [
    `alter table access_tokens add column client_id ${text}`,
    `alter table access_tokens add column grant_hash ${text}`,
    `create index access_tokens_grant on access_tokens (grant_hash) where grant_hash is not null`,
    `create table oauth_records (
      model ${text} not null,
      hash ${text} not null,
      lookup_hash ${text},
      grant_hash ${text},
      address ${text},
      user_id ${text} references users (id) on delete cascade,
      payload ${text} not null,
      consumed_at ${big},
      expires_at ${big} not null,
      primary key (model, hash)
    ) ${clustered}`,
    `create unique index oauth_records_lookup on oauth_records (model, lookup_hash)`,
    `create index oauth_records_grant on oauth_records (grant_hash)`,
    `create index oauth_records_address on oauth_records (model, address, expires_at)`,
    `create index oauth_records_user on oauth_records (user_id)`,
    `create index oauth_records_expiry on oauth_records (expires_at)`,
  ],
};
