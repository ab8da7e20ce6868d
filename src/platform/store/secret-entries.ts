// The search entries of secrets, kept by triggers, whichever program changes the secrets: of each secret its name, in the order of the list.
import type { Engine } from "../kernel/tx.ts";

/** Precedes the owner's id in the scope of the owner's secrets: the id alone is the scope of a team's members. */
export const SECRETS_SCOPE = "secrets:";

const scopeOf = (row: "new" | "old") => `'${SECRETS_SCOPE}' || ${row}.owner_id`;

// The owner is locked while secrets are added, so no other transaction takes the same ordinal.
const ADD = `insert into search_entries (scope, ordinal, user_id, position, is_account, content)
  select ${scopeOf("new")}, coalesce(max(ordinal), -1) + 1, new.id, new.position, 0, new.name_key
    from search_entries where scope = ${scopeOf("new")}`;
const RENAME = `update search_entries set content = new.name_key where user_id = new.id and scope = ${scopeOf("new")}`;
const REMOVE = `delete from search_entries where user_id = old.id and scope = ${scopeOf("old")}`;

const TRIGGERS = [
  ["added", "insert", ADD],
  ["renamed", "update of name_key", RENAME],
  ["removed", "delete", REMOVE],
] as const;

export function secretEntryParts(engine: Engine): readonly string[] {
  if (engine === "sqlite") {
    return TRIGGERS.map(
      ([name, change, text]) => `create trigger secrets_${name} after ${change} on secrets begin ${text}; end`,
    );
  }
  return TRIGGERS.flatMap(([name, change, text]) => [
    `create or replace function reeve_secret_${name}() returns trigger language plpgsql as $$
      begin
        ${text};
        return null;
      end $$`,
    `create trigger secrets_${name} after ${change} on secrets for each row execute function reeve_secret_${name}()`,
  ]);
}

/** Newest first: the index of SQLite has lower numbers for newer entries, and takes rising ones many times as fast. */
export const FILL_SECRET_ENTRIES = `insert into search_entries (scope, ordinal, user_id, position, is_account, content)
  select '${SECRETS_SCOPE}' || owner_id, row_number() over (partition by owner_id order by position) - 1, id, position, 0, name_key
    from secrets order by owner_id, position desc`;
