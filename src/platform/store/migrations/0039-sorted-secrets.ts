import type { Dialect, Migration } from "./migration.ts";

/** What the list of secrets shows, sorts by and is filtered by. */
export const sortedSecrets: Migration = {
  version: 39,
  name: "sorted-secrets",
  statements: ({ text, big, clustered }: Dialect) => [
    // updater_id: the account that made the last change; null: something else did, or it is not known.
    `alter table secrets add column updater_id ${text}`,
    `update secrets set updater_id = (
      select newest.creator_id from secret_versions as newest
      where newest.secret_id = secrets.id and newest.version = secrets.version and newest.created_at = secrets.updated_at
    )`,
    // ends_at: expires_at, and the greatest integer where that is null, so that an index orders by it.
    `alter table secrets add column ends_at ${big} not null default ${Number.MAX_SAFE_INTEGER}`,
    `update secrets set ends_at = expires_at where expires_at is not null`,
    `create index secrets_by_name on secrets (owner_id, name_key, position) where deleted_at is null`,
    // With the names, so that a search reads no row that does not match.
    `create index secrets_by_change on secrets (owner_id, updated_at, position, name_key) where deleted_at is null`,
    `create index secrets_by_end on secrets (owner_id, ends_at, position, name_key) where deleted_at is null`,
    // position: of the secret. The tags of deleted secrets are there too.
    `create table secret_tags (
      owner_id ${text} not null,
      tag ${text} not null,
      position ${big} not null,
      secret_id ${text} not null references secrets (id) on delete cascade,
      primary key (owner_id, tag, position)
    ) ${clustered}`,
    `create index secret_tags_secret on secret_tags (secret_id)`,
  ],
  async fill(tx) {
    const tags =
      tx.engine === "sqlite"
        ? "select s.owner_id, t.value, s.position, s.id from secrets as s, json_each(s.tags) as t"
        : "select s.owner_id, t.value, s.position, s.id from secrets as s, json_array_elements_text(cast(s.tags as json)) as t(value)";
    await tx.exec(`insert into secret_tags (owner_id, tag, position, secret_id) ${tags}`);
  },
};
