// Statements on which master keys wrap the data keys of versions. They go through all owners: a master key is the
// instance's.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";

/** Each key once, by as many looks into the index as there are keys, however many versions there are. */
export const listUsedKeys = prepare("secretKeys.listUsed").many(({ db }) =>
  db
    .selectFrom(
      sql<{ key_id: string }>`(with recursive used (key_id) as (
        select min(key_id) from secret_versions
        union all
        select (select min(later.key_id) from secret_versions as later where later.key_id > used.key_id)
        from used where used.key_id is not null
      ) select key_id from used where key_id is not null)`.as("used_keys"),
    )
    .select("key_id"),
);
