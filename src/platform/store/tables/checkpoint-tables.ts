// The tables of checkpoints: signed states of event chains, and the keys that sign them.

/** The due times of work on an owner's chain. */
export interface ChainTimes {
  /** The time when a checkpoint is due; null: no event was added since the last one. */
  checkpoint_due_at: number | null;
  /** createdAt of the oldest stored event, or later when its removal was postponed; null: there is none. */
  oldest_event_at: number | null;
}

export interface CheckpointTables {
  signing_keys: SigningKeysTable;
  event_checkpoints: EventCheckpointsTable;
}

export interface SigningKeysTable {
  /** A fingerprint of the public key. */
  id: string;
  /** `active` for the key that signs; null for former ones. */
  slot: "active" | null;
  /** SPKI in DER, as base64. */
  public_key: string;
  created_at: number;
  retired_at: number | null;
  /** Id of the master key that wraps the data key. */
  key_id: string;
  wrapped_key: Uint8Array;
  /** The private key, PKCS #8 in DER, sealed. */
  ciphertext: Uint8Array;
}

export type CheckpointReason = "daily" | "demand" | "prune";

export interface EventCheckpointsTable {
  owner_id: string;
  /** The event that it covers: the chain had this hash there. */
  sequence: number;
  hash: string;
  event_at: number;
  created_at: number;
  /** `prune`: this event and those before it were removed, and the chain continues from here. One per owner at most. */
  reason: CheckpointReason;
  signing_key_id: string;
  /** Base64. */
  signature: string;
  /** Unique for the owner. */
  position: number;
}
