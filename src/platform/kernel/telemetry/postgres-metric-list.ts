// The metrics of a PostgreSQL server, as metric-list.ts has the others.

export const POSTGRES_METRICS = {
  postgresHidden: {
    name: "reeve_postgres_statistics_hidden",
    type: "gauge",
    help: "1 when Reeve's role lacks pg_read_all_stats: then the transactions of sessions and the standbys have no metrics.",
  },
  postgresOldestTransaction: {
    name: "reeve_postgres_oldest_transaction_seconds",
    type: "gauge",
    help: "Age of the oldest transaction in the database, by state: active, idle (in transaction), prepared; 0 when there is none.",
    labels: ["state"],
  },
  postgresRows: {
    name: "reeve_postgres_rows",
    type: "gauge",
    help: "Rows of Reeve's tables as PostgreSQL estimates them, by state: live, or dead until they are vacuumed.",
    labels: ["state"],
  },
  postgresSlotRetained: {
    name: "reeve_postgres_slot_retained_bytes",
    type: "gauge",
    help: "Write-ahead log that is kept for the replication slot that is furthest behind; 0 without a slot.",
  },
  postgresStandbys: {
    name: "reeve_postgres_standbys",
    type: "gauge",
    help: "Standbys that the server of the database sends its changes to.",
  },
  postgresReplicationLag: {
    name: "reeve_postgres_replication_lag_bytes",
    type: "gauge",
    help: "Write-ahead log that the standby that is furthest behind has not replayed; 0 without a standby.",
  },
  postgresConnections: {
    name: "reeve_postgres_connections",
    type: "gauge",
    help: "Sessions of all clients, by what limits them: of the server, of the database, of Reeve's role.",
    labels: ["scope"],
  },
  postgresConnectionLimit: {
    name: "reeve_postgres_connections_limit",
    type: "gauge",
    help: "How many sessions are allowed, without those that are reserved for superusers; a limit that is not set has no sample.",
    labels: ["scope"],
  },
  postgresUnsafe: {
    name: "reeve_postgres_unsafe_setting",
    type: "gauge",
    help: "1 for each of fsync, full_page_writes and synchronous_commit that is off: a crash loses changes or damages the database.",
    labels: ["setting"],
  },
} as const;
