// The tables of searches as Kysely sees them.

export interface SearchTables {
  search_entries: SearchEntriesTable;
  search_refreshes: SearchRefreshesTable;
}

/** One row per search result: each account, and each person in each team. */
export interface SearchEntriesTable {
  /** The list that contains it: a team's id, or `users`. */
  scope: string;
  /** Counts the entries of a scope, in the order of their positions. */
  ordinal: number;
  user_id: string;
  /** The position in the list. */
  position: number;
  /** Whether `content` follows the account; for invited people it is what their inviter gave. */
  is_account: number;
  /** Folded text (platform/kernel/text/search-text.ts). */
  content: string;
}

/** Renamed accounts with more entries than one change can update. */
export interface SearchRefreshesTable {
  user_id: string;
  /** The last scope that was done. */
  after_scope: string;
}
