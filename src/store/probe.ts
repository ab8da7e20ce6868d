// Probes a database: its status, and whether it accepts writes. Cheap enough for each second.
import type { Database, WriteTx } from "./database.ts";
import { NO_OWNER } from "./versions.ts";

export interface StoreStatus {
  readonly schemaVersion: number;
  readonly isReadOnly: boolean;
  /** The database server's time in ms; null where there is no server. */
  readonly serverTime: number | null;
}

const ASK = {
  sqlite: "select max(version) as version, 'off' as read_only, null as time from schema_migrations",
  postgres: `select max(version) as version, current_setting('transaction_read_only') as read_only,
    extract(epoch from clock_timestamp()) * 1000 as time from schema_migrations`,
} as const;

export async function readStatus({ engine, admin }: Pick<Database, "engine" | "admin">): Promise<StoreStatus> {
  const [row = {}] = await admin.query(ASK[engine]);
  const { version, read_only: readOnly, time } = row;
  return {
    schemaVersion: Number(version ?? 0),
    isReadOnly: readOnly !== "off",
    serverTime: time === null ? null : Number(time),
  };
}

/** Writes a meaningless value: an empty transaction would succeed on a full disk. */
export async function writeProbe(tx: WriteTx, now: number): Promise<void> {
  tx.changesOnly(NO_OWNER);
  // Changes the header of the file; on PostgreSQL assigns a transaction id, so that the commit is logged and flushed.
  if (tx.engine === "sqlite") await tx.exec(`pragma user_version = ${Math.floor(now / 1000) % 2_147_483_647}`);
  else await tx.query("select pg_current_xact_id()");
}
