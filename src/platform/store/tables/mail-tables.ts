// The tables of mail as Kysely sees them.

export interface MailTables {
  mails: MailsTable;
  mail_counts: MailCountsTable;
  mail_stops: MailStopsTable;
  mail_link_keys: MailLinkKeysTable;
}

/** Mail to be sent. */
export interface MailsTable {
  id: string;
  kind: string;
  recipient: string;
  /** JSON: the data of the message. Never a code. */
  payload: string;
  /** Attempts begun; together with the id it identifies a claim, so that a worker that lost its claim stores no outcome. */
  attempts: number;
  /** The time from which it can be claimed: for the first time, after a failure, or after the worker that claimed it was lost. */
  due_at: number;
  created_at: number;
}

/** The number of mails that a user or a team has caused on a day; stored so that a restart does not reset it. */
export interface MailCountsTable {
  /** Days since the epoch, UTC. */
  day: number;
  owner_id: string;
  mails: number;
}

/** Recipients who want no more mail from a team. */
export interface MailStopsTable {
  team_id: string;
  /** A keyed hash of the address. */
  recipient: string;
  created_at: number;
}

/** One row, `current`: the keys that hash recipients and sign links. */
export interface MailLinkKeysTable {
  slot: string;
  secret: string;
}
