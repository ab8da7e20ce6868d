// The tables of projects and their protection.

export interface FirewallTables {
  projects: ProjectsTable;
  firewalls: FirewallsTable;
  firewall_versions: FirewallVersionsTable;
  attack_modes: AttackModesTable;
  attack_mode_automatic: AttackModeAutomaticTable;
  firewall_bypasses: FirewallBypassesTable;
  firewall_bypass_rules: FirewallBypassRulesTable;
}

/** A project name under which an owner has stored something. */
export interface ProjectsTable {
  owner_id: string;
  /** Chosen by the caller; opaque. */
  id: string;
  team_id: string | null;
  /** The account that owns the project, unless a team does. */
  user_id: string | null;
  created_at: number;
  position: number;
}

/** One row per project that has or had a configuration or a draft. */
export interface FirewallsTable {
  owner_id: string;
  project_id: string;
  /** Null until the first version is activated. */
  active_version: number | null;
  /** 0 until there is a version. */
  last_version: number;
  activated_at: number | null;
  /** JSON array of the changes that make the draft out of the active version; null: there is no draft. */
  draft_changes: string | null;
  draft_note: string | null;
  draft_creator_id: string | null;
  draft_creator_name: string | null;
  draft_updated_at: number | null;
  /** Counts the changes of all drafts so far, and every activation, since each changes the result of the draft. */
  draft_revision: number;
  /** What a gate says enforces `crs`; null: nothing does. */
  crs_engine: string | null;
  /** When it was last said. */
  crs_engine_at: number | null;
}

/** Never changed once written. */
export interface FirewallVersionsTable {
  owner_id: string;
  project_id: string;
  /** 1, 2, 3, ... per project. */
  version: number;
  id: string;
  /** The version that was active when this one was made; null for the first. */
  based_on: number | null;
  /** The document's `firewallEnabled`, for reads without the document. */
  is_enabled: number;
  change_count: number;
  cost: number;
  note: string | null;
  creator_id: string | null;
  /** The name of the author at the time. */
  creator_name: string;
  created_at: number;
  position: number;
  /** Bytes of the document. */
  size: number;
  /** JSON, in the form in which it is served. */
  document: string;
}

export interface AttackModesTable {
  owner_id: string;
  project_id: string;
  is_enabled: number;
  /** When it ends by itself; null: never, or it is off. */
  active_until: number | null;
  updated_at: number;
  revision: number;
  /** Who set the present state: a `person`, the `automatic`, or its `end`. */
  set_by: string;
  /** When it was switched on; null: it is off, or was on before there was this column. */
  enabled_at: number | null;
}

/** Attack challenge mode that switches itself. One row per project where somebody has switched that on or off. */
export interface AttackModeAutomaticTable {
  owner_id: string;
  project_id: string;
  is_enabled: number;
  updated_at: number;
  revision: number;
  learned_at: number;
  /** The first minute that was learned from; null: there was none. */
  history_since: number | null;
  /** In a minute; null: not known yet. */
  usual_requests: number | null;
  usual_errors: number | null;
  /** ms */
  usual_latency: number | null;
}

/** The entries of bypass lists: sources that attack mode does not challenge. */
export interface FirewallBypassesTable {
  owner_id: string;
  project_id: string;
  /** Composed of project, domain and network, so that each combination is unique. */
  id: string;
  /** A host's name or `*.name`, in lower case; `*`: the whole project. */
  domain: string;
  /** Canonical network; null: all sources. */
  ip: string | null;
  /** The network as given. */
  source: string;
  note: string;
  actor_id: string;
  expires_at: number | null;
  created_at: number;
  updated_at: number;
}

/** The bypass rules: conditions under which attack mode does not challenge requests for a domain. */
export interface FirewallBypassRulesTable {
  owner_id: string;
  project_id: string;
  /** A host's name or `*.name`, in lower case; `*`: the whole project. */
  domain: string;
  /** JSON */
  condition_group: string;
  /** The highest cost for a request. */
  cost: number;
  note: string;
  creator_id: string;
  /** The last author. */
  actor_id: string;
  created_at: number;
  updated_at: number;
}
