// What PostgreSQL says of itself: for metrics and `reeve doctor`. One statement, which every role may run. Without the privileges of
// pg_read_all_stats the server hides what sessions of other roles and standbys do; what is hidden is null here, never zero.
import type { Admin } from "../database.ts";

/** Settings with which a crash, or a failover to a synchronous standby, loses changes that were committed, or damages the database. */
export const SAFETY_SETTINGS = ["fsync", "full_page_writes", "synchronous_commit"] as const;
/** What connections are limited for. */
export const CONNECTION_SCOPES = ["server", "database", "role"] as const;

export interface ServerFacts {
  /** The role that Reeve logs in with. */
  readonly role: string;
  readonly sizeBytes: number;
  /** Estimates, of the tables of Reeve. */
  readonly rows: { readonly live: number; readonly dead: number };
  /** Age in seconds of the oldest transaction in this database by state; 0: there is none; null: it is hidden. */
  readonly oldestTransaction: {
    readonly active: number | null;
    /** A session has begun it, and does nothing. */
    readonly idle: number | null;
    /** For a commit in two phases. */
    readonly prepared: number;
  };
  /** Of the write-ahead log, kept for the replication slot that is furthest behind; 0 without one. */
  readonly slotRetainedBytes: number;
  /** Null: hidden. */
  readonly replication: { readonly standbys: number; readonly lagBytes: number } | null;
  /** A limit that does not exist is null. */
  readonly connections: Readonly<Record<(typeof CONNECTION_SCOPES)[number], { used: number; limit: number | null }>>;
  /** Those of the settings that are off. */
  readonly unsafe: readonly (typeof SAFETY_SETTINGS)[number][];
}

const AGE = (time: string) => `coalesce(max(extract(epoch from clock_timestamp() - ${time})), 0)::float8`;
/** Sessions of clients; what tells this is visible to every role. */
const SESSIONS = "pg_stat_activity where datid is not null and usesysid is not null";
const TRANSACTIONS = `${SESSIONS} and datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`;
const LSN = "case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end";

/** Of settings that are off in another way, too: a synchronous standby may lack what was committed. */
const VALUES: Partial<Record<(typeof SAFETY_SETTINGS)[number], string>> = {
  synchronous_commit: `case when current_setting('synchronous_commit') = 'local'
    and current_setting('synchronous_standby_names') <> '' then 'off' else current_setting('synchronous_commit') end`,
};

const FACTS = `select session_user::text as role, pg_has_role('pg_read_all_stats', 'usage') as "isVisible",
  pg_database_size(current_database())::float8 as size,
  (select ${AGE("xact_start")} from ${TRANSACTIONS} and state not like 'idle in transaction%') as active,
  (select ${AGE("xact_start")} from ${TRANSACTIONS} and state like 'idle in transaction%') as idle,
  (select ${AGE("prepared")} from pg_prepared_xacts where database = current_database()) as prepared,
  (select coalesce(sum(n_live_tup), 0)::float8 from pg_stat_user_tables where schemaname = current_schema()) as live,
  (select coalesce(sum(n_dead_tup), 0)::float8 from pg_stat_user_tables where schemaname = current_schema()) as dead,
  (select coalesce(max(pg_wal_lsn_diff(${LSN}, restart_lsn)), 0)::float8 from pg_replication_slots) as retained,
  (select count(*)::float8 from pg_stat_replication where state in ('streaming', 'catchup')) as standbys,
  (select coalesce(max(pg_wal_lsn_diff(${LSN}, replay_lsn)), 0)::float8 from pg_stat_replication) as lag,
  (select count(*)::float8 from ${SESSIONS}) as server,
  (select count(*)::float8 from ${SESSIONS} and datname = current_database()) as database,
  (select count(*)::float8 from ${SESSIONS} and usename = session_user) as "ofRole",
  current_setting('max_connections')::float8 - current_setting('superuser_reserved_connections')::float8
    - coalesce(current_setting('reserved_connections', true)::float8, 0) as "serverLimit",
  (select nullif(datconnlimit, -1)::float8 from pg_database where datname = current_database()) as "databaseLimit",
  (select nullif(rolconnlimit, -1)::float8 from pg_roles where rolname = session_user) as "roleLimit",
  ${SAFETY_SETTINGS.map((name) => `${VALUES[name] ?? `current_setting('${name}')`} as ${name}`).join(", ")}`;

export async function readServerFacts(admin: Pick<Admin, "query">): Promise<ServerFacts> {
  const [row = {}] = await admin.query(FACTS);
  const isVisible = row["isVisible"] === true;
  const numberOf = (column: string) => Number(row[column]);
  const limitOf = (column: string) => (row[column] === null ? null : Number(row[column]));
  return {
    role: String(row["role"]),
    sizeBytes: numberOf("size"),
    rows: { live: numberOf("live"), dead: numberOf("dead") },
    oldestTransaction: {
      active: isVisible ? numberOf("active") : null,
      idle: isVisible ? numberOf("idle") : null,
      prepared: numberOf("prepared"),
    },
    slotRetainedBytes: numberOf("retained"),
    replication: isVisible ? { standbys: numberOf("standbys"), lagBytes: numberOf("lag") } : null,
    connections: {
      server: { used: numberOf("server"), limit: limitOf("serverLimit") },
      database: { used: numberOf("database"), limit: limitOf("databaseLimit") },
      role: { used: numberOf("ofRole"), limit: limitOf("roleLimit") },
    },
    unsafe: SAFETY_SETTINGS.filter((name) => row[name] === "off"),
  };
}
