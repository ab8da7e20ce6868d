// Probes a database: its status, and whether it accepts writes. Cheap enough for each second.
import { randomUUID } from "node:crypto";
import type { Database, WriteTx } from "./database.ts";
import { LACKING, WRITE_REFUSAL, describeLacking } from "./postgres/roles.ts";
import type { WriteRefusal } from "./postgres/roles.ts";
import { SCHEMA_VERSION } from "./migrations/migrate.ts";
import { NO_OWNER } from "./versions.ts";

export interface StoreStatus {
  readonly schemaVersion: number;
  /** The names of migrations that this process does not know. */
  readonly newerMigrations: readonly string[];
  /** Why the database server accepts no writes; null where it does. */
  readonly refusal: WriteRefusal | null;
  /** Which privilege the role lacks; null: none, or there are no roles. */
  readonly lacking: string | null;
  /** The database server's time in ms; null where there is no server. */
  readonly serverTime: number | null;
}

/** What this process does not know, line by line; null: it knows all. */
const newer = (join: string) => `${join} filter (where version > ${SCHEMA_VERSION}) as newer`;
const ASK = {
  sqlite: `select max(version) as version, ${newer("group_concat(name, char(10))")}, null as time from schema_migrations`,
  postgres: `select max(version) as version, ${newer("string_agg(name, chr(10))")}, ${WRITE_REFUSAL} as refusal,
    (select cast(json_agg(lacking) as text) from (${LACKING}) as lacking) as lacking,
    extract(epoch from clock_timestamp()) * 1000 as time from schema_migrations`,
} as const;

export async function readStatus({ engine, admin }: Pick<Database, "engine" | "admin">): Promise<StoreStatus> {
  const [row = {}] = await admin.query(ASK[engine]);
  const { version, newer: names, refusal = null, lacking, time } = row;
  return {
    schemaVersion: Number(version ?? 0),
    newerMigrations: typeof names === "string" ? names.split("\n") : [],
    refusal: refusal as WriteRefusal | null,
    lacking: typeof lacking === "string" ? describeLacking(JSON.parse(lacking) as []) : null,
    serverTime: time === null ? null : Number(time),
  };
}

/** About the size of a large event. */
const PROBE_BYTES = 8_000;

/** Writes a row that needs space, as an event does: what fits into pages that are there would succeed on a full disk. */
export async function writeProbe(tx: WriteTx): Promise<void> {
  tx.changesOnly(NO_OWNER);
  await tx.exec("delete from write_probes");
  await tx.exec(`insert into write_probes (id, value) values ('${randomUUID()}', '${"x".repeat(PROBE_BYTES)}')`);
}
