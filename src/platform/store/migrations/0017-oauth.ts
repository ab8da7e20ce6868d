import type { Dialect, Migration } from "./migration.ts";

/** The authorization server: its short-lived records, and which client an access token was issued to. */
export const oauth: Migration = {
  version: 17,
  name: "oauth",
  statements: ({ text, big, clustered }: Dialect) => [
    // The OAuth client that a token was issued to, and the grant; null: its user or the operator made it.
    `alter table access_tokens add column client_id ${text}`,
    `alter table access_tokens add column grant_hash ${text}`,
    `create index access_tokens_grant on access_tokens (grant_hash) where grant_hash is not null`,
    // What the server keeps for minutes: codes, and what people approved until a code is exchanged. model: its kind in the words
    // of the library (`DeviceCode`, `Grant`, ...). hash: SHA-256 of the value that clients hold. lookup_hash: of a second value
    // that leads to it, such as a user code. address: what one client can hardly change of its address, for records that
    // strangers cause. user_id: who approved it. payload: JSON without what is hashed. consumed_at: null: not used yet.
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
