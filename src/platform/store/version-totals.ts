// How many bytes the versions of each owner take, kept by triggers, so that a change reads one row instead of all versions.
import { sql } from "kysely";
import { LARGE_VALUE } from "../kernel/storage-limits.ts";
import type { Engine } from "../kernel/tx.ts";
import type { Build } from "./build.ts";

/** The tables of versions, and the size that a version must exceed to count. Sizes never change. */
const COUNTED = { firewall_versions: 0, environment_versions: 0, secret_versions: LARGE_VALUE } as const;
type Counted = keyof typeof COUNTED;
const TABLES = Object.entries(COUNTED);

/** Without a row where there are no bytes. Deltas go to the row of an owner in a fixed order, so that two changes do not wait for each other. */
const CREATE = `create table if not exists version_totals (
  owner_id text not null, kind text not null, bytes bigint not null, primary key (owner_id, kind)
)`;

const FILL = [
  // What a restore has replaced.
  "delete from version_totals",
  ...TABLES.map(
    ([table, above]) => `insert into version_totals (owner_id, kind, bytes)
      select owner_id, '${table}', sum(size) from ${table} where size > ${above} group by owner_id`,
  ),
];

const SQLITE_TRIGGERS = TABLES.flatMap(([table, above]) => [
  `create trigger ${table}_counted after insert on ${table} when new.size > ${above} begin
    insert into version_totals (owner_id, kind, bytes) values (new.owner_id, '${table}', new.size)
      on conflict (owner_id, kind) do update set bytes = bytes + excluded.bytes;
  end`,
  `create trigger ${table}_uncounted after delete on ${table} when old.size > ${above} begin
    update version_totals set bytes = bytes - old.size where owner_id = old.owner_id and kind = '${table}';
    delete from version_totals where owner_id = old.owner_id and kind = '${table}' and bytes = 0;
  end`,
]);

const POSTGRES_TRIGGERS = [
  `create or replace function reeve_count_versions() returns trigger language plpgsql as $$
    begin
      insert into version_totals as total (owner_id, kind, bytes)
        select owner_id, tg_table_name, sum(case tg_op when 'INSERT' then size else -size end)
          from changed where size > cast(tg_argv[0] as integer) group by owner_id order by owner_id
        on conflict (owner_id, kind) do update set bytes = total.bytes + excluded.bytes;
      if tg_op = 'DELETE' then
        delete from version_totals
          where owner_id = any (array(select owner_id from changed)) and kind = tg_table_name and bytes = 0;
      end if;
      return null;
    end $$`,
  ...TABLES.flatMap(([table, above]) =>
    [
      ["counted", "insert", "new"],
      ["uncounted", "delete", "old"],
    ].map(
      ([name, change, rows]) => `create trigger ${table}_${name} after ${change} on ${table}
        referencing ${rows} table as changed for each statement execute function reeve_count_versions('${above}')`,
    ),
  ),
];

/** The statements that make the totals. They begin with the triggers, which wait for other changes to end, so that none is missed. */
export function versionTotalParts(engine: Engine): readonly string[] {
  return [CREATE, ...(engine === "sqlite" ? SQLITE_TRIGGERS : POSTGRES_TRIGGERS), ...FILL];
}

/** The bytes of an owner's versions; no row where there are none. */
export function selectTotal({ db, p }: Build<{ ownerId: string }>, kind: Counted) {
  const totals = sql<{ ownerId: string; kind: string; bytes: number }>`version_totals`.as("total");
  return db
    .selectFrom(totals)
    .select("total.bytes")
    .where("total.ownerId", "=", p("ownerId"))
    .where("total.kind", "=", sql.lit(kind));
}
