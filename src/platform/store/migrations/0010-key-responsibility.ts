import type { Dialect, Migration } from "./migration.ts";

/**
 * The user who is responsible for each API key of a team, also for the codes that it has seen, and the time at which a key was
 * suspended. For an existing key this is the user who made it, or made the key that made it, if they still have all its
 * permissions; otherwise nobody, and the key stays valid.
 */
export const keyResponsibility: Migration = {
  version: 10,
  name: "key-responsibility",
  statements: ({ text, big }: Dialect) => [
    `alter table api_keys add column responsible_id ${text}`,
    // Who was responsible when its value was replaced with an overlap, and so knows the previous value.
    `alter table api_keys add column previous_responsible_id ${text}`,
    `alter table api_keys add column suspended_at ${big}`,
    `with recursive makers (key_id, maker_id) as (
      select id, created_by from api_keys where team_id is not null
      union
      select makers.key_id, coalesce(parent.user_id, parent.created_by)
        from makers join api_keys parent on parent.id = makers.maker_id
    )
    update api_keys set responsible_id = (
      select maker.id from makers
        join users maker on maker.id = makers.maker_id
        left join memberships m on m.team_id = api_keys.team_id and m.user_id = maker.id and m.state = 'member'
        where makers.key_id = api_keys.id and maker.suspended_at is null
          and (maker.is_admin = 1 or m.role = 'OWNER' or m.role = api_keys.role
            or (m.role = 'MEMBER' and api_keys.role <> 'OWNER'))
    ) where team_id is not null`,
    `update invites set issued_to = coalesce(
      (select responsible_id from api_keys where api_keys.id = invites.issued_to), issued_to)`,
    `create index api_keys_responsible on api_keys (responsible_id, team_id, position)`,
    `create index api_keys_previous_responsible on api_keys (previous_responsible_id)
      where previous_responsible_id is not null`,
  ],
};
