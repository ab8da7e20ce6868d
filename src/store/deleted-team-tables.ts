// Teams that are gone, whose events are still read.

export interface DeletedTeamTables {
  deleted_teams: DeletedTeamsTable;
  deleted_team_owners: DeletedTeamOwnersTable;
}

export interface DeletedTeamsTable {
  id: string;
  /** The last one; others may have taken it since. The id where the team was deleted before this table existed. */
  slug: string;
  name: string | null;
  deleted_at: number;
}

/** Who was OWNER of it to the end. */
export interface DeletedTeamOwnersTable {
  user_id: string;
  team_id: string;
}
