// The tables of environments, as Kysely sees them.

export interface EnvironmentTables {
  environments: EnvironmentsTable;
  environment_versions: EnvironmentVersionsTable;
}

/** One row per environment that was created or changed. Those that every project has need none before. */
export interface EnvironmentsTable {
  owner_id: string;
  project_id: string;
  name: string;
  /** Another environment of the project. */
  inherits_from: string | null;
  /** Counts its changes: the newest version. */
  version: number;
  /** Of its own entries. */
  entry_count: number;
  created_at: number;
  updated_at: number;
}

/** Never changed once written. */
export interface EnvironmentVersionsTable {
  owner_id: string;
  project_id: string;
  name: string;
  version: number;
  /** JSON: environments/document-rules.ts */
  document: string;
  /** Bytes of the document. */
  size: number;
  change_count: number;
  /** The version whose entries a roll-back brought back. */
  restored_from: number | null;
  note: string | null;
  creator_id: string | null;
  creator_name: string;
  created_at: number;
  position: number;
}
