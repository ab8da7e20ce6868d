import type { Dialect, Migration } from "./migration.ts";

/** Secrets with their names and versions, and the active master key. */
export const secrets: Migration = {
  version: 2,
  name: "secrets",
  statements: ({ text, big, bytes, clustered }: Dialect) => [
    // One row, with the slot `active`: the master key under which new values are sealed, on every server.
    `create table active_master_key (
      slot ${text} primary key,
      key_id ${text} not null,
      activated_at ${big} not null
    )`,
    // name: the present one, or the last one of a deleted secret. name_key: in lower case. tags: JSON array. notice_at: when the
    // next notice of expiry is due. version: of the newest value. metadata_version: counts the changes of all but the value.
    // creator_id: the account that created it.
    `create table secrets (
      id ${text} primary key,
      owner_id ${text} not null references owners (id),
      team_id ${text} references teams (id) on delete cascade,
      user_id ${text} references users (id) on delete cascade,
      name ${text} not null,
      name_key ${text} not null,
      description ${text},
      tags ${text} not null,
      project_id ${text},
      decryptable integer not null,
      max_versions integer not null,
      expires_at ${big},
      notice_at ${big},
      version ${big} not null,
      metadata_version ${big} not null default 1,
      creator_id ${text},
      created_at ${big} not null,
      updated_at ${big} not null,
      deleted_at ${big},
      position ${big} not null,
      revision ${big} not null default 1
    )`,
    `create unique index secrets_position on secrets (owner_id, position)`,
    `create index secrets_live on secrets (owner_id, position) where deleted_at is null`,
    `create index secrets_deleted on secrets (owner_id, position) where deleted_at is not null`,
    `create index secrets_deleted_name on secrets (owner_id, name_key, deleted_at, position) where deleted_at is not null`,
    `create index secrets_purge on secrets (deleted_at) where deleted_at is not null`,
    `create index secrets_project on secrets (owner_id, project_id, position) where project_id is not null`,
    `create index secrets_notice on secrets (notice_at) where notice_at is not null`,
    `create index secrets_team on secrets (team_id)`,
    `create index secrets_user on secrets (user_id)`,
    // The present and former names of secrets. is_reserved: the name is taken for the owner, because it is the name or an alias
    // of a secret that is not deleted.
    `create table secret_names (
      secret_id ${text} not null references secrets (id) on delete cascade,
      position ${big} not null,
      owner_id ${text} not null,
      name ${text} not null,
      name_key ${text} not null,
      kind ${text} not null,
      is_reserved integer not null,
      begun_at ${big} not null,
      ended_at ${big},
      primary key (secret_id, position)
    ) ${clustered}`,
    `create unique index secret_names_reserved on secret_names (owner_id, name_key) where is_reserved = 1`,
    // size: bytes of the value. restored_from: the version whose value this one brought back. key_id: of the master key that
    // wraps the data key.
    `create table secret_versions (
      secret_id ${text} not null references secrets (id) on delete cascade,
      version ${big} not null,
      owner_id ${text} not null,
      encoding ${text} not null,
      size integer not null,
      restored_from ${big},
      creator_id ${text},
      created_at ${big} not null,
      position ${big} not null,
      key_id ${text} not null,
      wrapped_key ${bytes} not null,
      ciphertext ${bytes} not null,
      primary key (secret_id, version)
    )`,
    `create index secret_versions_key on secret_versions (key_id, secret_id, version)`,
  ],
};
