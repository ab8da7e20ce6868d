// Owners that were deleted, as Kysely sees them.

export interface RemovalTables {
  removals: RemovalsTable;
}

/** One row from the moment in which a team or an account is deleted until nothing of it is left. Nobody sees it meanwhile. */
export interface RemovalsTable {
  owner_id: string;
  begun_at: number;
  /** Rows that were removed so far. */
  removed: number;
  /** Of an account: what its teams are still to be told, as JSON (members/departure.ts); null for a team. */
  departure: string | null;
}
