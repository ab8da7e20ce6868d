// The tables of mail as Kysely sees them.

export interface MailTables {
  mails: MailsTable;
  mail_counts: MailCountsTable;
  mail_stops: MailStopsTable;
  mail_link_keys: MailLinkKeysTable;
}

/** Mail that waits to be sent. */
export interface MailsTable {
  id: string;
  kind: string;
  recipient: string;
  /** JSON: what the message is about. Never a code. */
  payload: string;
  /** Begun ones; with the id it names a claim, so that a worker that lost its claim settles nothing. */
  attempts: number;
  /** When it may be claimed: for the first time, after a failure, or after the worker that has it was lost. */
  due_at: number;
  created_at: number;
}

/** Mails that a user or a team has caused on a day; counted here so that no restart begins anew. */
export interface MailCountsTable {
  /** Days since the epoch, UTC. */
  day: number;
  owner_id: string;
  mails: number;
}

/** Who wants no more mail from a team. */
export interface MailStopsTable {
  team_id: string;
  /** A keyed hash of the address. */
  recipient: string;
  created_at: number;
}

/** One row, `current`: what recipients are hashed and links are signed with. */
export interface MailLinkKeysTable {
  slot: string;
  secret: string;
}
