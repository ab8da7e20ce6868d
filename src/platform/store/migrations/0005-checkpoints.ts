import type { Dialect, Migration } from "./migration.ts";

/** Signed checkpoints of event chains, the keys that sign them, and when an owner's chain needs attention. */
export const checkpoints: Migration = {
  version: 5,
  name: "checkpoints",
  statements: ({ text, big, bytes, clustered }: Dialect) => [
    // checkpoint_due_at: null: no event was added since the last checkpoint. oldest_event_at: createdAt of the oldest stored
    // event, or later when its removal was postponed; null: there is none.
    `alter table owners add column checkpoint_due_at ${big}`,
    `alter table owners add column oldest_event_at ${big}`,
    `update owners set checkpoint_due_at = event_at, oldest_event_at =
      (select created_at from events where events.owner_id = owners.id and events.sequence = 1) where sequence > 0`,
    `create index owners_checkpoint_due on owners (checkpoint_due_at) where checkpoint_due_at is not null`,
    `create index owners_oldest_event on owners (oldest_event_at) where oldest_event_at is not null`,
    // id: a fingerprint of the public key. slot: `active` for the key that signs, null for former ones. public_key: SPKI in DER,
    // as base64. ciphertext: the private key, PKCS #8 in DER, sealed. key_id: of the master key that wraps the data key.
    `create table signing_keys (
      id ${text} primary key,
      slot ${text} constraint signing_keys_slot unique,
      public_key ${text} not null,
      created_at ${big} not null,
      retired_at ${big},
      key_id ${text} not null,
      wrapped_key ${bytes} not null,
      ciphertext ${bytes} not null
    )`,
    `create index signing_keys_key on signing_keys (key_id, id)`,
    // The chain had `hash` at the event `sequence`. signature: base64. reason `prune`: this event and those before it were
    // removed, and the chain continues from here; one per owner at most.
    `create table event_checkpoints (
      owner_id ${text} not null,
      sequence ${big} not null,
      hash ${text} not null,
      event_at ${big} not null,
      created_at ${big} not null,
      reason ${text} not null,
      signing_key_id ${text} not null,
      signature ${text} not null,
      position ${big} not null,
      primary key (owner_id, sequence)
    ) ${clustered}`,
    `create unique index event_checkpoints_position on event_checkpoints (owner_id, position)`,
    `create unique index event_checkpoints_pruned on event_checkpoints (owner_id) where reason = 'prune'`,
  ],
};
