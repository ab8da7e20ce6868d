import type { Migration } from "./migration.ts";

/** Indexes of what needs somebody, so that a count of it reads nothing else: most stores have hardly any of it. */
export const attention: Migration = {
  version: 44,
  name: "attention",
  oldestBeside: 43,
  statements: () => [
    "create index webhooks_disabled on webhooks (owner_id) where is_active = 0 and inactive_reason <> 'request'",
    "create index webhook_queues_failing on webhook_queues (owner_id) where failing_since is not null and deleted_at is null",
    "create index api_keys_suspended on api_keys (owner_id) where suspended_at is not null and trust_id is null",
    "create index identity_trusts_suspended on identity_trusts (owner_id) where suspended_at is not null",
    "create index attack_modes_on on attack_modes (owner_id) where is_enabled = 1",
    "create index firewalls_drafted on firewalls (owner_id) where draft_updated_at is not null",
  ],
};
