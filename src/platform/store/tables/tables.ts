// The tables as Kysely sees them. Times are integer milliseconds, booleans 0 or 1, JSON is text, ids are text,
// on both engines. `position` orders a list (platform/kernel/pagination.ts).
import type { BotTables } from "./bot-tables.ts";
import type { ChainTimes, CheckpointTables } from "./checkpoint-tables.ts";
import type { EnvironmentTables } from "./environment-tables.ts";
import type { FirewallTables } from "./firewall-tables.ts";
import type { IdentityTables } from "./identity-tables.ts";
import type { MailTables } from "./mail-tables.ts";
import type { OAuthTables } from "./oauth-tables.ts";
import type { SearchTables } from "./search-tables.ts";
import type { SecretTables } from "./secret-tables.ts";
import type { SignInTables } from "./sign-in-tables.ts";
import type { TrafficTables } from "./traffic-tables.ts";
import type { WebhookTables } from "./webhook-tables.ts";

export interface Tables
  extends
    BotTables,
    CheckpointTables,
    EnvironmentTables,
    FirewallTables,
    IdentityTables,
    MailTables,
    OAuthTables,
    SearchTables,
    SecretTables,
    SignInTables,
    TrafficTables,
    WebhookTables {
  owners: OwnersTable;
  users: UsersTable;
  access_tokens: AccessTokensTable;
  api_keys: ApiKeysTable;
  teams: TeamsTable;
  memberships: MembershipsTable;
  declined_requests: DeclinedRequestsTable;
  former_members: FormerMembersTable;
  deleted_teams: DeletedTeamsTable;
  deleted_team_owners: DeletedTeamOwnersTable;
  removals: RemovalsTable;
  invites: InvitesTable;
  events: EventsTable;
  idempotency_records: IdempotencyRecordsTable;
}

/**
 * One row per user and team, never deleted: the lock of an owner's mutations, and the head of its event chain. One more row,
 * `instance`, is the lock of administration.
 */
export interface OwnersTable extends ChainTimes {
  id: string;
  kind: "user" | "team" | "instance";
  sequence: number;
  hash: string;
  /** createdAt of the newest event. */
  event_at: number;
  /** The number of its webhooks. */
  webhooks: number;
}

export interface UsersTable {
  id: string;
  email: string;
  /** Lower-case form, unique. */
  email_key: string;
  /** When its owner showed that mail to the address reaches them, or an administrator set it; null: nobody has. */
  email_confirmed_at: number | null;
  username: string;
  username_key: string;
  name: string | null;
  avatar: string | null;
  default_team_id: string | null;
  is_admin: number;
  suspended_at: number | null;
  position: number;
  created_at: number;
  updated_at: number;
  revision: number;
}

/** What limits a credential, as JSON; null: nothing. `allowed_cidrs` is an array of networks. */
interface LimitColumns {
  /** Array of the only permissions that it has, in the order of PERMISSIONS. */
  permissions: string | null;
  /** Object of projects, environments and names (platform/kernel/limits.ts). */
  limits: string | null;
  allowed_cidrs: string | null;
}

export interface AccessTokensTable extends LimitColumns {
  id: string;
  user_id: string;
  hash: string;
  name: string;
  prefix: string;
  suffix: string;
  origin: string;
  team_id: string | null;
  expires_at: number | null;
  active_at: number;
  created_at: number;
  position: number;
  /** The OAuth client that it was issued to; null: it was made by its user or the operator. */
  client_id: string | null;
  /** The grant that it was issued for; null where there is none. */
  grant_hash: string | null;
}

export interface ApiKeysTable extends LimitColumns {
  id: string;
  /** The team or user that the key belongs to. */
  owner_id: string;
  team_id: string | null;
  user_id: string | null;
  name: string;
  role: string;
  hash: string;
  previous_hash: string | null;
  previous_expires_at: number | null;
  prefix: string;
  suffix: string;
  expires_at: number | null;
  active_at: number;
  created_by: string;
  created_at: number;
  position: number;
  revision: number;
  /** The user who is responsible for a key of a team; null: nobody, or a key of a user. */
  responsible_id: string | null;
  /** The user who was responsible when its value was replaced with an overlap, and so knows the previous value. */
  previous_responsible_id: string | null;
  /** The time since which it is refused, because the responsible user has lost a permission that it has. */
  suspended_at: number | null;
  /** The trust rule by which it was issued for a token of another issuer; null: a caller created it. */
  trust_id: string | null;
}

export interface TeamsTable {
  id: string;
  slug: string;
  name: string | null;
  avatar: string | null;
  description: string | null;
  creator_id: string;
  /** The team's own join link. */
  invite_code: string;
  /** JSON object of the settings that PATCH takes, in the shape in which they are served. */
  settings: string;
  created_at: number;
  updated_at: number;
  revision: number;
}

export type MembershipState = "requested" | "member";

/** One row per account and team: a membership, or a request to join. */
export interface MembershipsTable {
  team_id: string;
  user_id: string;
  state: MembershipState;
  role: string;
  /** JSON of `joinedFrom`. */
  joined_from: string;
  /** JSON array of team permissions. */
  team_permissions: string;
  /** JSON array of `{projectId, role}`. */
  projects: string;
  invited_by: string | null;
  confirmed_at: number | null;
  access_requested_at: number | null;
  created_at: number;
  updated_at: number;
  /** Unique in the team: order of the list of members. */
  position: number;
  /** Unique for the user: order of the list of teams. */
  user_position: number;
  revision: number;
}

export interface DeclinedRequestsTable {
  team_id: string;
  user_id: string;
  declined_at: number;
}

/** Former members of a team; the row is deleted when they join again. */
export interface FormerMembersTable {
  team_id: string;
  user_id: string;
  /** Their last role. */
  role: string;
  /** 1: removed by somebody else. */
  is_removed: number;
  ended_at: number;
  /** 1: the membership belonged to a role mapping. */
  is_mapped: number;
}

/** Invitations of people, and shareable codes. */
export interface InvitesTable {
  id: string;
  team_id: string;
  kind: "email" | "code";
  email: string | null;
  email_key: string | null;
  /** Of a person's invitation: the account that was invited by id, or that accepted. */
  user_id: string | null;
  role: string;
  /** JSON array of `{projectId, role}`. */
  projects: string;
  /** JSON array of team permissions. */
  team_permissions: string;
  code_hash: string;
  code_suffix: string;
  max_uses: number | null;
  uses: number;
  expires_at: number;
  revoked_at: number | null;
  created_by: string;
  /** The account or API key that has seen the present code. */
  issued_to: string;
  /** 1: the present code was sent by mail, and shown to nobody. */
  is_mailed: number;
  created_at: number;
  updated_at: number;
  position: number;
  /** Of a person's invitation: its position in the team's list of people, which it shares with the memberships. */
  member_position: number | null;
  revision: number;
}

export interface EventsTable {
  owner_id: string;
  /** 1, 2, 3, ... without gaps per owner, and in the order of `created_at`. */
  sequence: number;
  id: string;
  type: string;
  created_at: number;
  actor_kind: string;
  principal_id: string;
  user_id: string | null;
  credential_id: string | null;
  /** JSON snapshot: the account acted for (username, e-mail, name, avatar), and the name of the key that acted. */
  actor: string;
  via: string;
  ip: string;
  user_agent: string | null;
  request_id: string;
  /** The id of the entity that the event is about. */
  entity_id: string;
  /** The project that the payload names. */
  project_id: string | null;
  text: string;
  /** JSON array of `{type, start, end}`. */
  entities: string;
  payload: string;
  previous: string | null;
  next: string | null;
  hash: string;
}

export interface IdempotencyRecordsTable {
  credential_id: string;
  key_hash: string;
  request_hash: string;
  /** The stored response, sealed with a key that only the caller can derive. */
  answer: Uint8Array;
  expires_at: number;
}

/** Deleted teams, whose events can still be read. */
export interface DeletedTeamsTable {
  id: string;
  /** The last slug, which another team may have taken since; the id if the team was deleted before this table existed. */
  slug: string;
  name: string | null;
  deleted_at: number;
}

/** The OWNERs of a deleted team, as of its deletion. */
export interface DeletedTeamOwnersTable {
  user_id: string;
  team_id: string;
}

/** One row from the deletion of a team or an account until all its rows are removed. Nobody can see the owner meanwhile. */
export interface RemovalsTable {
  owner_id: string;
  begun_at: number;
  /** The number of rows removed so far. */
  removed: number;
  /** Of an account: its `AccountRemoval` (platform/removals/remove.ts) as JSON; null for a team. */
  departure: string | null;
}
