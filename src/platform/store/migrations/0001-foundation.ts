import type { Dialect, Migration } from "./migration.ts";

/**
 * The columns of `events`. SQLite gets the table a second time (migration 20). sequence: 1, 2, 3, ... without gaps per owner, and in the
 * order of created_at. actor: JSON snapshot of the account acted for (username, e-mail, name, avatar), and of the name of the key that
 * acted. entity_id: what the event is about. project_id: the project that the payload names. entities: JSON array of `{type, start, end}`.
 */
export const eventColumns = ({ text, big }: Pick<Dialect, "text" | "big">) => `(
  owner_id ${text} not null references owners (id),
  sequence ${big} not null,
  id ${text} not null,
  type ${text} not null,
  created_at ${big} not null,
  actor_kind ${text} not null,
  principal_id ${text} not null,
  user_id ${text},
  credential_id ${text},
  actor ${text} not null,
  via ${text} not null,
  ip ${text} not null,
  user_agent ${text},
  request_id ${text} not null,
  entity_id ${text} not null,
  project_id ${text},
  text ${text} not null,
  entities ${text} not null,
  payload ${text} not null,
  previous ${text},
  next ${text},
  hash ${text} not null,
  primary key (owner_id, sequence)
)`;

export const EVENT_INDEXES = [
  `create index events_time on events (owner_id, created_at, sequence)`,
  `create index events_type on events (owner_id, type, sequence)`,
  `create index events_principal on events (owner_id, principal_id, type, sequence)`,
  `create index events_entity on events (owner_id, entity_id, type, sequence)`,
  `create index events_project on events (owner_id, project_id, type, sequence) where project_id is not null`,
] as const;

/** Users, credentials, teams and memberships, event chains, idempotency and mail. */
export const foundation: Migration = {
  version: 1,
  name: "foundation",
  statements: ({ text, big, bytes, clustered }: Dialect) => [
    // A row for each user and team, never deleted: the lock of an owner's mutations, and the head of its event chain. One more,
    // `instance`, is the lock of administration. event_at: createdAt of the newest event.
    `create table owners (
      id ${text} primary key,
      kind ${text} not null,
      sequence ${big} not null default 0,
      hash ${text} not null default '',
      event_at ${big} not null default 0
    )`,
    `insert into owners (id, kind) values ('instance', 'instance')`,
    // email_key, username_key: in lower case.
    `create table users (
      id ${text} primary key references owners (id),
      email ${text} not null,
      email_key ${text} not null constraint users_email unique,
      username ${text} not null,
      username_key ${text} not null constraint users_username unique,
      name ${text},
      avatar ${text},
      default_team_id ${text},
      is_admin integer not null default 0,
      suspended_at ${big},
      position ${big} not null constraint users_position unique,
      created_at ${big} not null,
      updated_at ${big} not null,
      revision ${big} not null default 1
    )`,
    `create index users_administrators on users (is_admin, suspended_at)`,
    // invite_code: of the team's own join link. settings: JSON object of the settings that PATCH takes, in the shape in which
    // they are served.
    `create table teams (
      id ${text} primary key references owners (id),
      slug ${text} not null constraint teams_slug unique,
      name ${text},
      avatar ${text},
      description ${text},
      creator_id ${text} not null,
      invite_code ${text} not null constraint teams_invite_code unique,
      settings ${text} not null,
      created_at ${big} not null,
      updated_at ${big} not null,
      revision ${big} not null default 1
    )`,
    `create table access_tokens (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      hash ${text} not null constraint access_tokens_hash unique,
      name ${text} not null,
      prefix ${text} not null,
      suffix ${text} not null,
      origin ${text} not null,
      team_id ${text} references teams (id) on delete cascade,
      expires_at ${big},
      active_at ${big} not null,
      created_at ${big} not null,
      position ${big} not null
    )`,
    `create unique index access_tokens_position on access_tokens (user_id, position)`,
    `create index access_tokens_team on access_tokens (team_id)`,
    // allowed_cidrs: JSON array of networks; null: any.
    `create table api_keys (
      id ${text} primary key,
      owner_id ${text} not null references owners (id),
      team_id ${text} references teams (id) on delete cascade,
      user_id ${text} references users (id) on delete cascade,
      name ${text} not null,
      role ${text} not null,
      hash ${text} not null constraint api_keys_hash unique,
      previous_hash ${text} constraint api_keys_previous_hash unique,
      previous_expires_at ${big},
      prefix ${text} not null,
      suffix ${text} not null,
      allowed_cidrs ${text},
      expires_at ${big},
      active_at ${big} not null,
      created_by ${text} not null,
      created_at ${big} not null,
      position ${big} not null,
      revision ${big} not null default 1
    )`,
    `create unique index api_keys_position on api_keys (owner_id, position)`,
    `create index api_keys_team on api_keys (team_id)`,
    `create index api_keys_user on api_keys (user_id)`,
    // A row for each account and team: a membership, or a request to join. joined_from: JSON of `joinedFrom`. team_permissions:
    // JSON array. projects: JSON array of `{projectId, role}`. position: order of the team's members. user_position: order of the
    // user's teams.
    `create table memberships (
      team_id ${text} not null references teams (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      state ${text} not null,
      role ${text} not null,
      joined_from ${text} not null,
      team_permissions ${text} not null,
      projects ${text} not null,
      invited_by ${text},
      confirmed_at ${big},
      access_requested_at ${big},
      created_at ${big} not null,
      updated_at ${big} not null,
      position ${big} not null,
      user_position ${big} not null,
      revision ${big} not null default 1,
      primary key (team_id, user_id)
    ) ${clustered}`,
    `create unique index memberships_position on memberships (team_id, position)`,
    `create unique index memberships_user_position on memberships (user_id, user_position)`,
    `create index memberships_state on memberships (team_id, state, role)`,
    `create unique index memberships_role on memberships (team_id, role, position)`,
    `create table declined_requests (
      team_id ${text} not null references teams (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      declined_at ${big} not null,
      primary key (team_id, user_id)
    ) ${clustered}`,
    `create index declined_requests_user on declined_requests (user_id)`,
    // Invitations of people, and shareable codes (kind `email` or `code`). projects: JSON array of `{projectId, role}`.
    `create table invites (
      id ${text} primary key,
      team_id ${text} not null references teams (id) on delete cascade,
      kind ${text} not null,
      email ${text},
      email_key ${text},
      role ${text} not null,
      projects ${text} not null,
      code_hash ${text} not null constraint invites_code_hash unique,
      code_suffix ${text} not null,
      max_uses integer,
      uses integer not null default 0,
      expires_at ${big} not null,
      revoked_at ${big},
      created_by ${text} not null,
      created_at ${big} not null,
      updated_at ${big} not null,
      position ${big} not null,
      revision ${big} not null default 1
    )`,
    `create unique index invites_position on invites (team_id, position)`,
    `create index invites_email on invites (team_id, email_key)`,
    `create index invites_pending on invites (team_id, position)
      where kind = 'email' and revoked_at is null and uses = 0`,
    `create table events ${eventColumns({ text, big })} ${clustered}`,
    ...EVENT_INDEXES,
    // answer: the stored response, sealed with a key that only the caller can derive.
    `create table idempotency_records (
      credential_id ${text} not null,
      key_hash ${text} not null,
      request_hash ${text} not null,
      answer ${bytes} not null,
      expires_at ${big} not null,
      primary key (credential_id, key_hash)
    ) ${clustered}`,
    `create index idempotency_records_expiry on idempotency_records (expires_at)`,
    // Mail to be sent. payload: JSON of the message's data, never a code. attempts: those begun; with the id they identify a
    // claim, so that a worker that lost its claim stores no outcome. due_at: when it can be claimed, for the first time, after a
    // failure, or after the worker that claimed it was lost.
    `create table mails (
      id ${text} primary key,
      kind ${text} not null,
      recipient ${text} not null,
      payload ${text} not null,
      attempts integer not null default 0,
      due_at ${big} not null,
      created_at ${big} not null
    )`,
    `create index mails_due on mails (due_at)`,
  ],
};
