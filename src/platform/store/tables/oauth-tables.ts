// The table of the authorization server as Kysely sees it.

export interface OAuthTables {
  oauth_records: OAuthRecordsTable;
}

/** What the authorization server keeps for minutes: codes, and what people approved until a code is exchanged. */
export interface OAuthRecordsTable {
  /** Its kind in the words of the library (`DeviceCode`, `AuthorizationCode`, `Grant`, ...). */
  model: string;
  /** SHA-256 of the value that clients hold. */
  hash: string;
  /** SHA-256 of a second value that leads to it, such as a user code. */
  lookup_hash: string | null;
  /** The grant that it belongs to. */
  grant_hash: string | null;
  /** What one client can hardly change of its address, for records that strangers cause. */
  address: string | null;
  /** The account that approved it; null: nobody has. */
  user_id: string | null;
  /** JSON, without the values that are hashed. */
  payload: string;
  /** ms; null: not used yet. */
  consumed_at: number | null;
  /** ms */
  expires_at: number;
}
