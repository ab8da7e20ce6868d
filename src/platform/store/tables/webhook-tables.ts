// The tables of webhooks as Kysely sees them.

export interface WebhookTables {
  webhooks: WebhooksTable;
  webhook_secrets: WebhookSecretsTable;
  webhook_queues: WebhookQueuesTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_replays: WebhookReplaysTable;
  webhook_attempts: WebhookAttemptsTable;
}

export interface WebhooksTable {
  id: string;
  owner_id: string;
  team_id: string | null;
  user_id: string | null;
  url: string;
  /** JSON array of names and globs, as given. */
  events: string;
  /** JSON array of project names; null: events of all projects, and those of none. */
  project_ids: string | null;
  description: string | null;
  ordering: string;
  /** The most deliveries in flight at once. */
  concurrency: number;
  /** Deliveries a second; null: no limit. */
  rate_limit: number | null;
  is_active: number;
  /** Why it is not active: `request`, `gone` or `failing`. */
  inactive_reason: string | null;
  inactive_since: number | null;
  /** JSON array: the names of the owner's own request headers. Their values are sealed. */
  header_names: string;
  /** Whether responses are kept in the log; null: only while it has no headers of its own. */
  logs_responses: number | null;
  /** Of the Ed25519 key pair, where there is one. */
  public_key: string | null;
  /** The highest version in use so far in `webhook_secrets`. */
  last_secret: number;
  created_at: number;
  updated_at: number;
  position: number;
  revision: number;
}

/** Signing secrets, signing keys, and header values that may be credentials; all sealed. */
export interface WebhookSecretsTable {
  webhook_id: string;
  version: number;
  owner_id: string;
  kind: string;
  created_at: number;
  /** Set by a rotation: until then it signs beside its successor. */
  expires_at: number | null;
  key_id: string;
  wrapped_key: Uint8Array;
  ciphertext: Uint8Array;
}

/** The due time and the lease of each webhook: the one row that event writers and delivering processes share. */
export interface WebhookQueuesTable {
  webhook_id: string;
  owner_id: string;
  /** No delivery is due before this time. May be too early, never too late. */
  due_at: number;
  /** The end of its lease or of its cool-down. */
  held_until: number;
  /** The later of the two. */
  ready_at: number;
  /** The process that leases it. */
  holder: string | null;
  /** The time since which every attempt has failed. */
  failing_since: number | null;
  /** Failed attempts since the last that succeeded. */
  failures: number;
  /** The time since which its webhook is disabled; null again after older pending deliveries have been removed. */
  idle_since: number | null;
  /** The time of its webhook's deletion. */
  deleted_at: number | null;
}

/** One event to deliver to one webhook. */
export interface WebhookDeliveriesTable {
  webhook_id: string;
  /** Of the event in its owner's chain. */
  sequence: number;
  owner_id: string;
  event_id: string;
  type: string;
  state: string;
  /** The time of the next attempt; null unless it is pending. */
  due_at: number | null;
  /** All attempts. */
  attempts: number;
  /** The attempts that count for the schedule: those since it was last requested. */
  tries: number;
  /** createdAt of the event. */
  created_at: number;
  /** The time of the attempt that the next two columns describe. */
  last_attempt_at: number | null;
  /** The response to the last attempt. */
  status: number | null;
  error_stage: string | null;
}

/** A range of deliveries to repeat, which a replay makes due in steps. */
export interface WebhookReplaysTable {
  id: string;
  webhook_id: string;
  owner_id: string;
  /** JSON array. */
  states: string;
  /** JSON array of names and globs, as given; null: any. */
  types: string | null;
  /** Timestamps (ms), as given. */
  since: number | null;
  until: number | null;
  /** Deliveries up to this sequence are done. */
  cursor: number;
  /** The first sequence beyond its range. */
  before: number;
  /** The number of deliveries made due so far. */
  queued: number;
  created_at: number;
  stepped_at: number;
  finished_at: number | null;
}

export interface WebhookAttemptsTable {
  webhook_id: string;
  sequence: number;
  /** 1, 2, 3, ... */
  number: number;
  started_at: number;
  duration_ms: number;
  status: number | null;
  error_stage: string | null;
  error: string | null;
  /** JSON object; values of the owner's own headers are left out. */
  request_headers: string;
  response_headers: string;
  response_body: string;
  is_truncated: number;
}
