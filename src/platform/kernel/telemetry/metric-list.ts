// Every metric of Reeve's own, as data for `/metrics` and docs/observability.md. Names and units follow Prometheus' conventions.
// Labels have a small, fixed set of values: never an id, and never a value that a client sent.
import { POSTGRES_METRICS } from "./postgres-metric-list.ts";

export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

/** In seconds. */
const REQUEST_TIMES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STATEMENT_TIMES = [0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.01, 0.1, 1];
const TRANSACTION_TIMES = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const DELIVERY_TIMES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600, 86_400];

export const METRICS = {
  requestDuration: {
    name: "reeve_http_request_duration_seconds",
    type: "histogram",
    help: "Time from the request's headers to the end of the response, by operation and status.",
    labels: ["operation", "status"],
    buckets: REQUEST_TIMES,
  },
  requestsRefused: {
    name: "reeve_http_requests_refused_total",
    type: "counter",
    help: "Requests that were refused to protect the service, by the code of the refusal.",
    labels: ["code"],
  },
  overloads: {
    name: "reeve_http_overloads_total",
    type: "counter",
    help: "Requests and connections that were refused or closed because of overload, by the resource: thread, read, write, bodies, connections, pipeline, responses.",
    labels: ["cause"],
  },
  openStreams: {
    name: "reeve_http_open_streams",
    type: "gauge",
    help: "Exports and live streams that are being sent.",
  },
  passwordsHashing: {
    name: "reeve_sign_in_passwords_hashing",
    type: "gauge",
    help: "Passwords of which this process is computing the hash.",
  },
  passwordsWaiting: {
    name: "reeve_sign_in_passwords_waiting",
    type: "gauge",
    help: "Passwords that wait for their hash to be computed; with 64 of them, sign-ins are refused.",
  },
  storeReadDuration: {
    name: "reeve_store_read_duration_seconds",
    type: "histogram",
    help: "Time of one read statement; the embedded store measures one in 16.",
    buckets: STATEMENT_TIMES,
  },
  storeWaitDuration: {
    name: "reeve_store_wait_duration_seconds",
    type: "histogram",
    help: "Time for which work waited for the writer thread or for a connection of the pool.",
    buckets: TRANSACTION_TIMES,
  },
  storeTransactionDuration: {
    name: "reeve_store_transaction_duration_seconds",
    type: "histogram",
    help: "Time of a write transaction, from its begin to the end of its commit; many changes may share one.",
    buckets: TRANSACTION_TIMES,
  },
  storeCommitDuration: {
    name: "reeve_store_commit_duration_seconds",
    type: "histogram",
    help: "Time of the commit alone, which waits for the disk.",
    buckets: TRANSACTION_TIMES,
  },
  storeGroupSize: {
    name: "reeve_store_group_size",
    type: "histogram",
    help: "Changes that one commit made durable.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  },
  storeRetries: {
    name: "reeve_store_transaction_retries_total",
    type: "counter",
    help: "Transactions that were run again after a lost race: serialization failures, deadlocks, a busy database.",
  },
  storeFailures: {
    name: "reeve_store_failures_total",
    type: "counter",
    help: "Changes that failed because of the store itself, by reason.",
    labels: ["reason"],
  },
  storePendingWrites: {
    name: "reeve_store_pending_writes",
    type: "gauge",
    help: "Changes that were handed to the writer thread of the embedded store and are not on disk yet.",
  },
  storeConnections: {
    name: "reeve_store_connections",
    type: "gauge",
    help: "Connections for changes to PostgreSQL, by state: idle or busy.",
    labels: ["state"],
  },
  storeConnectionsMost: {
    name: "reeve_store_connections_most",
    type: "gauge",
    help: "Connections to PostgreSQL that this process takes at most: for changes, for reads, and to ask what has changed.",
  },
  storeConnectionWaiters: {
    name: "reeve_store_connection_waiters",
    type: "gauge",
    help: "Transactions and reads that wait for a connection to PostgreSQL.",
  },
  storeSize: {
    name: "reeve_store_size_bytes",
    type: "gauge",
    help: "Size of the database, and of the embedded store also of the write-ahead log beside it.",
    labels: ["file"],
  },
  storeDiskFree: {
    name: "reeve_store_disk_free_bytes",
    type: "gauge",
    help: "Free space on the disk of the embedded store.",
  },
  schemaVersion: {
    name: "reeve_store_schema_version",
    type: "gauge",
    help: "Schema version of this process.",
  },
  ...POSTGRES_METRICS,
  attemptDuration: {
    name: "reeve_webhook_attempt_duration_seconds",
    type: "histogram",
    help: "Time of a delivery attempt to a webhook, by outcome: delivered, retried or failed permanently.",
    labels: ["outcome"],
    buckets: DELIVERY_TIMES,
  },
  deliveryLag: {
    name: "reeve_webhook_delivery_lag_seconds",
    type: "histogram",
    help: "Time from an event to its arrival at a webhook, for deliveries that succeeded at their first attempt.",
    buckets: DELIVERY_TIMES,
  },
  attemptsInFlight: {
    name: "reeve_webhook_attempts_in_flight",
    type: "gauge",
    help: "Delivery attempts in flight in this process.",
  },
  webhooksLeased: {
    name: "reeve_webhooks_leased",
    type: "gauge",
    help: "Webhooks that this process leases and delivers to.",
  },
  webhookStalled: {
    name: "reeve_webhook_stalled_seconds",
    type: "gauge",
    help: "Longest time for which a webhook that this process leases has had something to send, and no attempt has been completed.",
  },
  webhookUnclaimed: {
    name: "reeve_webhook_unclaimed_age_seconds",
    type: "gauge",
    help: "Longest time for which a webhook has been ready that no process leases, although its receiver does not fail; 0 without one.",
  },
  deliveriesWaiting: {
    name: "reeve_webhook_deliveries_waiting",
    type: "gauge",
    help: "Waiting deliveries of the whole instance, retries included; 10 000 means at least 10 000.",
  },
  deliveriesOldestDue: {
    name: "reeve_webhook_oldest_due_age_seconds",
    type: "gauge",
    help: "How long the oldest delivery has been due, by receiver: healthy, or backoff (it fails or is paused); 0 when none is. Looks at 1 000 webhooks.",
    labels: ["receiver"],
  },
  chains: {
    name: "reeve_event_chains",
    type: "gauge",
    help: "Chains of events: one for each user and team, and one for the instance.",
  },
  chainEvents: {
    name: "reeve_event_chain_events",
    type: "gauge",
    help: "Sum of the heads of all chains, which is the number of events ever recorded.",
  },
  chainLongest: {
    name: "reeve_event_chain_longest_events",
    type: "gauge",
    help: "Head of the longest chain.",
  },
  chainLastEvent: {
    name: "reeve_event_last_timestamp_seconds",
    type: "gauge",
    help: "Time of the newest event, in seconds since 1970.",
  },
  checkpointsOverdue: {
    name: "reeve_event_checkpoints_overdue",
    type: "gauge",
    help: "Chains whose checkpoint has been due for more than an hour; 10 000 means at least 10 000.",
  },
  removalsPending: {
    name: "reeve_removals_pending",
    type: "gauge",
    help: "Deleted teams and accounts whose rows are still being removed; 10 000 means at least 10 000.",
  },
  removalsRows: {
    name: "reeve_removals_removed_rows",
    type: "gauge",
    help: "Rows of these teams and accounts that have been removed so far.",
  },
  removalsOldest: {
    name: "reeve_removals_oldest_age_seconds",
    type: "gauge",
    help: "Time since the first of these was deleted; 0 when there is none.",
  },
  mailsWaiting: {
    name: "reeve_mails_waiting",
    type: "gauge",
    help: "Waiting mails of the whole instance; 10 000 means at least 10 000.",
  },
  mailsOldest: {
    name: "reeve_mails_oldest_age_seconds",
    type: "gauge",
    help: "Time since the oldest of these mails was queued, however often it was tried; 0 when none waits.",
  },
  mailsOldestDue: {
    name: "reeve_mails_oldest_due_age_seconds",
    type: "gauge",
    help: "How long the oldest of these mails has been due; 0 when none is.",
  },
  mailAttempts: {
    name: "reeve_mail_attempts_total",
    type: "counter",
    help: "Attempts to send a mail, by outcome: sent, retried or failed permanently.",
    labels: ["outcome"],
  },
  housekeepingFailing: {
    name: "reeve_housekeeping_failing",
    type: "gauge",
    help: "1 for each background job of this process whose last run failed, 0 for the others; its log says why.",
    labels: ["work"],
  },
  ready: {
    name: "reeve_ready",
    type: "gauge",
    help: "1 while /health/ready reports ready, else 0.",
  },
  healthCheckFailed: {
    name: "reeve_health_check_failed",
    type: "gauge",
    help: "1 for each health check that /health/ready reports as failed, 0 for the others.",
    labels: ["code"],
  },
  buildInfo: {
    name: "reeve_build_info",
    type: "gauge",
    help: "Always 1: the version of Reeve and of Node.js, and the engine of the store.",
    labels: ["version", "node", "engine"],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricId = keyof typeof METRICS;
type IdOf<T extends Metric["type"]> = {
  [K in MetricId]: (typeof METRICS)[K]["type"] extends T ? K : never;
}[MetricId];
export type CounterId = IdOf<"counter">;
export type GaugeId = IdOf<"gauge">;
export type HistogramId = IdOf<"histogram">;
