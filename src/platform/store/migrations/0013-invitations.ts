import type { Dialect, Migration } from "./migration.ts";

const last = (table: string) => `coalesce((select max(position) from ${table} where team_id = m.team_id), 0)`;

/** The highest position that is taken in either list of a row's team. */
const LAST_PLACE = `case when ${last("invites")} > ${last("memberships")}
  then ${last("invites")} else ${last("memberships")} end`;

const NEXT_PLACE = `${LAST_PLACE} + row_number() over (partition by m.team_id order by m.position)`;

const TEN_YEARS_MS = 315_576_000_000;

/**
 * Every invitation of a person is a row of `invites`, with or without an account, and shares one list with the members. The inviters
 * of accounts that are already invited have seen id and address, so both stay; those invitations did not expire, and expire late.
 */
export const invitations: Migration = {
  version: 13,
  name: "invitations",
  statements: ({ text, big }: Dialect) => [
    // Of a person's invitation: the account that was invited by id, or that accepted.
    `alter table invites add column user_id ${text}`,
    `alter table invites add column team_permissions ${text} not null default '[]'`,
    // Of a person's invitation: its position in the team's list of people.
    `alter table invites add column member_position ${big}`,
    `update invites set member_position = placed.place from (
        select m.id, ${NEXT_PLACE} as place from invites m
        where m.kind = 'email' and m.revoked_at is null and m.uses = 0
      ) placed where placed.id = invites.id`,
    `insert into invites (id, team_id, kind, email, email_key, user_id, role, projects, team_permissions, code_hash,
        code_suffix, max_uses, uses, expires_at, revoked_at, created_by, issued_to, created_at, updated_at, position,
        member_position, revision)
      select 'inv_' || substr(m.team_id, 6) || m.user_id, m.team_id, 'email', u.email, u.email_key, m.user_id, m.role, m.projects, m.team_permissions,
        'none:' || m.team_id || ':' || m.user_id, '', 1, 0, m.created_at + ${TEN_YEARS_MS}, null,
        coalesce(m.invited_by, 'system'), '', m.created_at, m.updated_at, ${NEXT_PLACE}, m.position, m.revision
      from memberships m join users u on u.id = m.user_id where m.state = 'invited'`,
    `delete from memberships where state = 'invited'`,
    `delete from search_entries where is_account = 0`,
    `drop index invites_pending`,
    `create index invites_pending on invites (team_id, member_position)
      where kind = 'email' and revoked_at is null and uses = 0`,
    `create unique index invites_member_position on invites (team_id, member_position)`,
    `create index invites_user on invites (team_id, user_id) where user_id is not null`,
  ],
};
