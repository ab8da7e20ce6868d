// The tables of workload identity as Kysely sees them.

export interface IdentityTables {
  identity_trusts: IdentityTrustsTable;
  identity_tokens: IdentityTokensTable;
}

/** Which tokens of another issuer are exchanged for an API key, and what that key may do. */
export interface IdentityTrustsTable {
  id: string;
  owner_id: string;
  team_id: string | null;
  user_id: string | null;
  name: string;
  issuer: string;
  audience: string;
  /** JSON object: path of a claim -> pattern or list of patterns. */
  claims: string;
  role: string;
  /** JSON array of the permissions of its role that issued keys have. */
  permissions: string;
  /** JSON of the limits of issued keys; null: none. */
  limits: string | null;
  /** JSON array of the networks from which issued keys work; null: any. */
  allowed_cidrs: string | null;
  is_single_use: number;
  /** The user who is responsible for a rule of a team; null: a rule of a user. */
  responsible_id: string | null;
  suspended_at: number | null;
  /** When a refusal was last recorded as an event. */
  refused_at: number | null;
  /** When it last exchanged a token, to the minute; null: not yet. */
  active_at: number | null;
  created_by: string;
  created_at: number;
  updated_at: number;
  position: number;
  revision: number;
}

/** A token that was exchanged, until it expires. */
export interface IdentityTokensTable {
  owner_id: string;
  /** SHA-256 of what identifies the token. */
  hash: string;
  /** How many keys were issued for it. */
  uses: number;
  expires_at: number;
}
