// The tables of secrets and of the master key that seals them, as Kysely sees them.

export interface SecretTables {
  active_master_key: ActiveMasterKeyTable;
  secrets: SecretsTable;
  secret_names: SecretNamesTable;
  secret_versions: SecretVersionsTable;
}

/** One row, with the slot `active`: the master key under which new values are sealed, on every server. */
export interface ActiveMasterKeyTable {
  slot: "active";
  key_id: string;
  activated_at: number;
}

export interface SecretsTable {
  id: string;
  owner_id: string;
  team_id: string | null;
  /** The account that owns the secret, unless a team does. */
  user_id: string | null;
  /** The present name, or the last one of a deleted secret. */
  name: string;
  /** Lower-case form. */
  name_key: string;
  description: string | null;
  /** JSON array of texts. */
  tags: string;
  project_id: string | null;
  decryptable: number;
  max_versions: number;
  expires_at: number | null;
  /** The due time of the next notice of expiry. */
  notice_at: number | null;
  /** The newest version of the value. */
  version: number;
  /** Counts changes of everything but the value. */
  metadata_version: number;
  /** The account of whoever created it. */
  creator_id: string | null;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  position: number;
  revision: number;
}

/** The present and former names of a secret. */
export interface SecretNamesTable {
  secret_id: string;
  position: number;
  owner_id: string;
  name: string;
  name_key: string;
  kind: "current" | "alias" | "former";
  /** The name is taken for the owner: it is the name, or an alias, of a secret that is not deleted. */
  is_reserved: number;
  begun_at: number;
  ended_at: number | null;
}

export interface SecretVersionsTable {
  secret_id: string;
  /** 1, 2, 3, ... per secret. */
  version: number;
  owner_id: string;
  encoding: "utf8" | "base64";
  /** Bytes of the value. */
  size: number;
  /** The version whose value this one brought back. */
  restored_from: number | null;
  creator_id: string | null;
  created_at: number;
  position: number;
  /** Id of the master key that wraps the data key. */
  key_id: string;
  wrapped_key: Uint8Array;
  ciphertext: Uint8Array;
}
