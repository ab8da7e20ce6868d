// What `reeve restore` and `reeve import` ask for, and what became of it.

/** An archive holds lines that do not depend on the engine; a database is a copy of the embedded store. */
export type BackupKind = "archive" | "database";

export interface RestoreRequest {
  readonly file: string;
  /** Replaces an existing store. */
  readonly replace: boolean;
  /** Ends all credentials, sessions, codes, trust rules and webhooks of the backup. */
  readonly endCredentials: boolean;
  /** The accepted kinds of file. */
  readonly kinds: readonly BackupKind[];
}

/** What lets somebody in or sends data out after a restore, though it may have been revoked or deleted since the backup. */
export interface Revived {
  readonly tokens: number;
  readonly apiKeys: number;
  readonly sessions: number;
  /** Links, invitations, recovery codes, and approvals of programs. */
  readonly codes: number;
  readonly joinLinks: number;
  /** Rules by which programs exchange tokens of other issuers for API keys. */
  readonly trustRules: number;
  /** Active ones. */
  readonly webhooks: number;
}

export interface Restored {
  readonly file: string;
  readonly kind: BackupKind;
  readonly rows: number;
  /** The file of the former embedded store. */
  readonly replaced: string | null;
  /** Ids of the master keys that the store needs and this machine lacks. */
  readonly missingKeys: readonly string[];
  readonly revived: Revived;
  readonly data: string;
  /** Why the tables on PostgreSQL could not be vacuumed afterwards; null: they were, or there was no need. */
  readonly vacuumFailure: string | null;
}
