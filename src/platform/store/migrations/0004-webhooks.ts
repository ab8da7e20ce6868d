import type { Dialect, Migration } from "./migration.ts";

/** Webhooks, their queues, and the log of deliveries. */
export const webhooks: Migration = {
  version: 4,
  name: "webhooks",
  statements: ({ text, big, bytes, clustered }: Dialect) => [
    // webhooks: their number, read with the head of the chain, so that an event of an owner without any needs no further read.
    `alter table owners add column webhooks integer not null default 0`,
    // events: JSON array of names and globs, as given. project_ids: JSON array; null: events of all projects, and those of none.
    // concurrency: the most deliveries in flight. rate_limit: deliveries a second. inactive_reason: `request`, `gone` or
    // `failing`. header_names: JSON array of the owner's request headers, whose values are sealed. public_key: of the Ed25519 key
    // pair, where there is one. last_secret: the highest version so far in `webhook_secrets`.
    `create table webhooks (
      id ${text} not null primary key,
      owner_id ${text} not null references owners (id),
      team_id ${text} references teams (id) on delete cascade,
      user_id ${text} references users (id) on delete cascade,
      url ${text} not null,
      events ${text} not null,
      project_ids ${text},
      description ${text},
      ordering ${text} not null,
      concurrency integer not null,
      rate_limit integer,
      is_active integer not null,
      inactive_reason ${text},
      inactive_since ${big},
      header_names ${text} not null,
      public_key ${text},
      last_secret ${big} not null,
      created_at ${big} not null,
      updated_at ${big} not null,
      position ${big} not null,
      revision ${big} not null
    )`,
    `create unique index webhooks_position on webhooks (owner_id, position)`,
    `create index webhooks_team on webhooks (team_id)`,
    `create index webhooks_user on webhooks (user_id)`,
    // Signing secrets, signing keys, and header values that may be credentials; all sealed. expires_at: set by a rotation; until
    // then it signs beside its successor.
    `create table webhook_secrets (
      webhook_id ${text} not null references webhooks (id) on delete cascade,
      version ${big} not null,
      owner_id ${text} not null,
      kind ${text} not null,
      created_at ${big} not null,
      expires_at ${big},
      key_id ${text} not null,
      wrapped_key ${bytes} not null,
      ciphertext ${bytes} not null,
      primary key (webhook_id, version)
    )`,
    `create index webhook_secrets_key on webhook_secrets (key_id, webhook_id, version)`,
    // Outlives its webhook, until its deliveries are pruned. The due time and the lease of each webhook: the one row that event writers and delivering processes share. due_at: no
    // delivery is due before; may be too early, never too late. held_until: end of the lease or the cool-down. ready_at: the
    // later of the two. holder: the process that leases it. failing_since: when the unbroken failures began, which `failures`
    // counts. idle_since: when its webhook was disabled; null again after its older pending deliveries are removed. deleted_at:
    // of its webhook.
    `create table webhook_queues (
      webhook_id ${text} not null primary key,
      owner_id ${text} not null,
      due_at ${big} not null,
      held_until ${big} not null,
      ready_at ${big} not null,
      holder ${text},
      failing_since ${big},
      failures integer not null,
      idle_since ${big},
      deleted_at ${big}
    ) ${clustered}`,
    `create index webhook_queues_ready on webhook_queues (ready_at)`,
    `create index webhook_queues_owner on webhook_queues (owner_id)`,
    `create index webhook_queues_idle on webhook_queues (idle_since) where idle_since is not null`,
    `create index webhook_queues_deleted on webhook_queues (deleted_at) where deleted_at is not null`,
    // An event to deliver to a webhook. due_at: of the next attempt; null unless it is pending. attempts: all. tries: those that
    // count for the schedule, since it was last requested. created_at: of the event. status, error_stage: of the last attempt.
    `create table webhook_deliveries (
      webhook_id ${text} not null,
      sequence ${big} not null,
      owner_id ${text} not null,
      event_id ${text} not null,
      type ${text} not null,
      state ${text} not null,
      due_at ${big},
      attempts integer not null,
      tries integer not null,
      created_at ${big} not null,
      last_attempt_at ${big},
      status integer,
      error_stage ${text},
      primary key (webhook_id, sequence)
    ) ${clustered}`,
    `create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, sequence) where due_at is not null`,
    `create index webhook_deliveries_next on webhook_deliveries (webhook_id, state, sequence) where due_at is not null`,
    `create index webhook_deliveries_state on webhook_deliveries (webhook_id, state, type, sequence)`,
    // Indexes only settled deliveries, so that pruning skips none.
    `create index webhook_deliveries_age on webhook_deliveries (created_at) where due_at is null`,
    // The deliveries to repeat: those up to `cursor` are due already. states: JSON array. types: JSON array of names and globs, as given; null: any. since, until: times as given. before: the
    // first sequence beyond the range. queued: deliveries made due so far.
    `create table webhook_replays (
      id ${text} not null primary key,
      webhook_id ${text} not null references webhooks (id) on delete cascade,
      owner_id ${text} not null,
      states ${text} not null,
      types ${text},
      since ${big},
      until ${big},
      cursor ${big} not null,
      before ${big} not null,
      queued ${big} not null,
      created_at ${big} not null,
      stepped_at ${big} not null,
      finished_at ${big}
    )`,
    `create unique index webhook_replays_running on webhook_replays (webhook_id) where finished_at is null`,
    `create index webhook_replays_next on webhook_replays (stepped_at) where finished_at is null`,
    `create index webhook_replays_finished on webhook_replays (finished_at) where finished_at is not null`,
    `create index webhook_replays_webhook on webhook_replays (webhook_id)`,
    // request_headers: JSON object, without the values of the owner's own headers.
    `create table webhook_attempts (
      webhook_id ${text} not null,
      sequence ${big} not null,
      number integer not null,
      started_at ${big} not null,
      duration_ms integer not null,
      status integer,
      error_stage ${text},
      error ${text},
      request_headers ${text} not null,
      response_headers ${text} not null,
      response_body ${text} not null,
      is_truncated integer not null,
      primary key (webhook_id, sequence, number)
    )`,
  ],
};
