// The tables of searches as Kysely sees them.

export interface SearchTables {
  search_entries: SearchEntriesTable;
  search_refreshes: SearchRefreshesTable;
}

/** One row for each thing that a search may find: for each account, and for each person in each team. */
export interface SearchEntriesTable {
  /** The list that it stands in: a team's id, or `users`. */
  scope: string;
  /** Counts the entries of a scope, in the order of their positions. */
  ordinal: number;
  user_id: string;
  /** The place in the list. */
  position: number;
  /** Whether `content` follows the account; of the invited it holds what their inviter gave. */
  is_account: number;
  /** Folded text (kernel/text/search-text.ts). */
  content: string;
}

/** Accounts that were renamed and have more entries than one change takes. */
export interface SearchRefreshesTable {
  user_id: string;
  /** The last scope that was done. */
  after_scope: string;
}
