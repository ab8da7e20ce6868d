// Whether a server of PostgreSQL accepts writes, and what its role may do.
import { StoreError } from "../database.ts";
import { naming } from "../failure.ts";
import type { Database } from "../database.ts";
import { COLUMNS } from "../tables/tables.ts";

export type WriteRefusal = "standby" | "read_only";

/** An SQL expression: null where the server accepts writes. */
export const WRITE_REFUSAL = `case when pg_is_in_recovery() then 'standby'
  when current_setting('transaction_read_only') = 'on' then 'read_only' end`;

/** Every table of Reeve. */
export const TABLES: readonly string[] = [
  ...Object.keys(COLUMNS),
  "changed_owners",
  "schema_migrations",
  "version_totals",
  "write_probes",
];
const NAMES = TABLES.map((name) => `'${name}'`).join(", ");

/** Selects the tables of Reeve that the role lacks privileges on: `name`, and in `missing` which, such as `INSERT, UPDATE`. */
export const LACKING = `select name, missing from (select c.relname as name, array_to_string(array(
    select p from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as p where not has_table_privilege(c.oid, p)
      and (p = 'SELECT' or c.relname <> 'schema_migrations')), ', ') as missing
  from pg_class c where c.relnamespace = (select oid from pg_namespace where nspname = current_schema()) and c.relname in (${NAMES})) as examined
  where missing <> '' order by name`;

/** Null: it lacks none. */
export function describeLacking(rows: readonly Readonly<Record<string, unknown>>[]): string | null {
  const [first] = rows;
  if (!first) return null;
  const more = rows.length > 1 ? `, and something on ${rows.length - 1} more tables` : "";
  return `this role lacks ${String(first["missing"])} on ${String(first["name"])}${more}`;
}

const MESSAGES: Readonly<Record<WriteRefusal, string>> = {
  standby: "it is a standby, which accepts no writes",
  read_only: "it accepts no writes: default_transaction_read_only is on",
};

/** `host` where the message is not about one that is named already. */
export function refuseToWrite(refusal: WriteRefusal, host?: string): StoreError {
  return new StoreError(naming(host, MESSAGES[refusal]), { reason: refusal });
}

/** Throws a StoreError when the server accepts no writes. */
export async function requireWritableServer(
  database: Pick<Database, "engine" | "admin" | "connections">,
): Promise<void> {
  const { engine, admin } = database;
  if (engine !== "postgres") return;
  const [row] = await admin.query(`select ${WRITE_REFUSAL} as refusal`);
  const refusal = (row?.["refusal"] ?? null) as WriteRefusal | null;
  if (refusal !== null) throw refuseToWrite(refusal, database.connections()?.host);
}
