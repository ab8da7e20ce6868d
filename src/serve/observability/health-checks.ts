// The health checks, by the code of their failure, with advice: for `GET /health/ready` and `reeve doctor`. The advice names no
// host, file or key, because reading it needs no credential.

import { STORE_ADVICE } from "../../platform/store/failure.ts";

interface HealthCheck {
  /** The part of the system that is checked. */
  readonly check: "start" | "store" | "schema" | "keys" | "disk" | "deliveries" | "clock";
  /** Requests can't be served while it fails; otherwise requests are served, and the operator should act. */
  readonly isFatal: boolean;
  readonly advice: string;
}

export const HEALTH_CHECKS = {
  starting: {
    check: "start",
    isFatal: true,
    advice: "this process is still starting: ask again in a moment",
  },
  store_unreachable: {
    check: "store",
    isFatal: true,
    advice: "the database does not respond: see that it runs and can be reached from here",
  },
  store_timeout: {
    check: "store",
    isFatal: true,
    advice:
      "the database responds too slowly or not at all: look for what blocks or overloads it, and check the network to it",
  },
  pool_exhausted: {
    check: "store",
    isFatal: true,
    advice: "all connections to the database are in use: look for slow statements, or start more servers",
  },
  too_few_connections: {
    check: "store",
    // Fatal where there is none at all (run-checks.ts).
    isFatal: false,
    advice: `the database has no room for all connections that this process could use (503 when it has none): ${STORE_ADVICE.too_few_connections}`,
  },
  store_full: {
    check: "store",
    isFatal: true,
    advice: `there is no space, or less than REEVE_DISK_RESERVE, and changes are refused: ${STORE_ADVICE.full}`,
  },
  store_read_only: {
    check: "store",
    isFatal: true,
    advice: `the database takes no writes: give this user the right to write to its file, or on PostgreSQL ${STORE_ADVICE.read_only}`,
  },
  store_standby: {
    check: "store",
    isFatal: true,
    advice: `the database server is a standby, which takes no writes: ${STORE_ADVICE.standby}`,
  },
  store_login_refused: {
    check: "store",
    isFatal: true,
    advice: `the database server runs and refuses the login: ${STORE_ADVICE.login_refused}`,
  },
  store_tls_refused: {
    check: "store",
    isFatal: true,
    advice: `the database server responds, and there is no TLS with it: ${STORE_ADVICE.tls_refused}`,
  },
  store_no_schema: {
    check: "store",
    isFatal: true,
    advice: `the search_path of the database's role leads to no tables of Reeve: ${STORE_ADVICE.no_schema}`,
  },
  store_transaction_pooling: {
    check: "store",
    isFatal: true,
    advice: `a pooler gives each transaction another session, and what was prepared is not found there: ${STORE_ADVICE.transaction_pooling}`,
  },
  store_denied: {
    check: "store",
    isFatal: true,
    advice: `the role of the database lacks a privilege: ${STORE_ADVICE.denied}; \`reeve doctor\` says more`,
  },
  store_failing: {
    check: "store",
    isFatal: true,
    advice: "the disk of the database fails to read or write: look into the system's log",
  },
  store_damaged: {
    check: "store",
    isFatal: true,
    advice: "the database is damaged: stop its servers, and restore a backup; `reeve doctor` says more",
  },
  writer_stalled: {
    check: "store",
    isFatal: true,
    advice: "writing takes very long: look for another process that holds the database, and at the disk",
  },
  schema_newer: {
    check: "schema",
    isFatal: true,
    advice: "a newer Reeve has changed the database: start that version here too",
  },
  schema_older: {
    check: "schema",
    isFatal: true,
    advice: "the database was replaced by one of an older Reeve: start this server again, which upgrades it",
  },
  schema_awaited: {
    check: "schema",
    isFatal: true,
    advice: "this worker waits for its schema: start a server of the same version, or run `reeve migrate`",
  },
  master_key_missing: {
    check: "keys",
    isFatal: true,
    advice:
      "the store is sealed with a master key that this process lacks: put that key back, from your backup or from another server",
  },
  master_key_removed: {
    check: "keys",
    isFatal: false,
    advice:
      "a master key was removed that is still needed, and the next start would be refused: put it back before that",
  },
  disk_scarce: {
    check: "disk",
    isFatal: false,
    advice: "the disk of the database is nearly full: make room on it",
  },
  deliveries_stalled: {
    check: "deliveries",
    isFatal: false,
    advice:
      "no process delivers to webhooks: see what the log says of them, and that no other session holds rows of webhook_queues",
  },
  clock_skewed: {
    check: "clock",
    isFatal: false,
    advice: "this machine's clock differs from the database server's: set it, and keep it by NTP",
  },
} as const satisfies Readonly<Record<string, HealthCheck>>;

export type HealthCheckCode = keyof typeof HEALTH_CHECKS;
