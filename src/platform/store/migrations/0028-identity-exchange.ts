import type { Dialect, Migration } from "./migration.ts";

/**
 * Workload identity: trust rules, which tokens of other issuers were exchanged how often, and by which rule an API key was issued.
 * `limits` and `allowed_cidrs` are those of its keys, as in migration 27; null: none.
 */
export const identityExchange: Migration = {
  version: 28,
  name: "identity-exchange",
  statements: ({ text, big, clustered }: Dialect) => [
    // Which tokens of another issuer are exchanged for an API key, and what that key may do. claims: JSON object, path of a claim
    // -> pattern or list of patterns. permissions: JSON array of those of its role that issued keys have. responsible_id: of a
    // rule of a team. refused_at: when a refusal was last recorded as an event.
    `create table identity_trusts (
      id ${text} primary key,
      owner_id ${text} not null,
      team_id ${text} references teams (id) on delete cascade,
      user_id ${text} references users (id) on delete cascade,
      name ${text} not null,
      issuer ${text} not null,
      audience ${text} not null,
      claims ${text} not null,
      role ${text} not null,
      permissions ${text} not null,
      limits ${text},
      allowed_cidrs ${text},
      is_single_use integer not null,
      responsible_id ${text},
      suspended_at ${big},
      refused_at ${big},
      created_by ${text} not null,
      created_at ${big} not null,
      updated_at ${big} not null,
      position ${big} not null,
      revision ${big} not null
    )`,
    `create unique index identity_trusts_position on identity_trusts (owner_id, position)`,
    `create index identity_trusts_team on identity_trusts (team_id)`,
    `create index identity_trusts_user on identity_trusts (user_id)`,
    `create index identity_trusts_responsible on identity_trusts (responsible_id, team_id)`,
    // Tokens that were exchanged, until they expire. hash: SHA-256 of what identifies the token. uses: keys that were issued for
    // it.
    `create table identity_tokens (
      owner_id ${text} not null,
      hash ${text} not null,
      uses ${big} not null,
      expires_at ${big} not null,
      primary key (owner_id, hash)
    ) ${clustered}`,
    `create index identity_tokens_expiry on identity_tokens (expires_at)`,
    `alter table api_keys add column trust_id ${text}`,
    `create index api_keys_trust on api_keys (trust_id, expires_at) where trust_id is not null`,
  ],
};
