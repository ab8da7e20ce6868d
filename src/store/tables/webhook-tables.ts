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
  /** JSON array of names and globs, as they were given. */
  events: string;
  /** JSON array of project names; null: events of all projects, and those of none. */
  project_ids: string | null;
  description: string | null;
  ordering: string;
  /** Deliveries that may be under way at once. */
  concurrency: number;
  /** Deliveries a second; null: no limit. */
  rate_limit: number | null;
  is_active: number;
  /** Why it is not active: `request`, `gone` or `failing`. */
  inactive_reason: string | null;
  inactive_since: number | null;
  /** JSON array: what the owner's own request headers are called. Their values are sealed. */
  header_names: string;
  /** Whether responses are kept in the log; null: only while it has no headers of its own. */
  logs_responses: number | null;
  /** Of the Ed25519 key pair, where there is one. */
  public_key: string | null;
  /** The highest version that was given to a row of `webhook_secrets`. */
  last_secret: number;
  created_at: number;
  updated_at: number;
  position: number;
  revision: number;
}

/** What deliveries are signed with, and header values that may be credentials: all sealed. */
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

/** When each webhook is to be looked at, and who looks: the one row that event writers and delivering processes share. */
export interface WebhookQueuesTable {
  webhook_id: string;
  owner_id: string;
  /** No delivery is due before. May be earlier than the truth, never later. */
  due_at: number;
  /** A process has it, or it has to be left alone, until then. */
  held_until: number;
  /** The later of the two. */
  ready_at: number;
  /** The process that has it. */
  holder: string | null;
  /** Since when every attempt has failed. */
  failing_since: number | null;
  /** Failed attempts since the last that succeeded. */
  failures: number;
  /** Since when its webhook is switched off; null too once what waits since before that has been cleared away. */
  idle_since: number | null;
  /** When its webhook was deleted. */
  deleted_at: number | null;
}

/** One event on its way to one webhook. */
export interface WebhookDeliveriesTable {
  webhook_id: string;
  /** Of the event in its owner's chain. */
  sequence: number;
  owner_id: string;
  event_id: string;
  type: string;
  state: string;
  /** When it is attempted next; null when it is not pending. */
  due_at: number | null;
  /** All that were made. */
  attempts: number;
  /** Those that count for the schedule: since it was asked for last. */
  tries: number;
  /** createdAt of the event. */
  created_at: number;
  /** When that was made which the next two members are about. */
  last_attempt_at: number | null;
  /** What the last attempt was answered with. */
  status: number | null;
  error_stage: string | null;
}

/** A range of deliveries that are made due again, step by step. */
export interface WebhookReplaysTable {
  id: string;
  webhook_id: string;
  owner_id: string;
  /** JSON array. */
  states: string;
  /** JSON array of names and globs, as they were given; null: any. */
  types: string | null;
  /** Moments (ms), as they were given. */
  since: number | null;
  until: number | null;
  /** All up to this sequence is done. */
  cursor: number;
  /** The sequence that it ends before. */
  before: number;
  /** How many it has made due. */
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
