// Statements on teams.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

const TEAM_COLUMNS = [
  "team.id as id",
  "team.slug as slug",
  "team.name as name",
  "team.avatar as avatar",
  "team.description as description",
  "team.creator_id as creatorId",
  "team.invite_code as inviteCode",
  "team.settings as settings",
  "team.created_at as createdAt",
  "team.updated_at as updatedAt",
  "team.revision as revision",
  "m.state as state",
  "m.role as role",
  "m.joined_from as joinedFrom",
  "m.team_permissions as teamPermissions",
  "m.confirmed_at as confirmedAt",
  "m.access_requested_at as accessRequestedAt",
  "m.created_at as memberSince",
] as const;

/** A team with one user's membership of it, whose members are null when there is none. */
export const findTeam = prepare<{ id: string; userId: string }>("teams.find").one(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("teams as team")
    .leftJoin("memberships as m", (join) => join.onRef("m.team_id", "=", "team.id").on("m.user_id", "=", p("userId")))
    .select(TEAM_COLUMNS)
    .where("team.id", "=", p("id"))
    .where(({ ref }) => isNotRemoved(ref("team.id"))),
);
export type TeamRow = NonNullable<Awaited<ReturnType<typeof findTeam>>>;

/** The teams that a user is a confirmed member of, in the order in which the memberships were created. */
export const listTeamsOf = prepare<{ userId: string }>("teams.list").page(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("memberships as m")
      .innerJoin("teams as team", "team.id", "m.team_id")
      .select([...TEAM_COLUMNS, "m.user_position as position"])
      .where("m.user_id", "=", p("userId"))
      // A literal, because the partial index is used only for its own condition.
      .where("m.state", "=", sql.lit("member"))
      .where(({ ref }) => isNotRemoved(ref("team.id"))),
  "m.user_position",
);

/** The number of teams that an account has made and that exist, up to a limit. */
export const countTeamsMadeBy = prepare<{ userId: string; limit: number }>("teams.countMadeBy").one(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom(
        db
          .selectFrom("teams")
          .select("id")
          .where("creator_id", "=", p("userId"))
          .where(({ ref }) => isNotRemoved(ref("teams.id")))
          .limit(p("limit"))
          .as("made"),
      )
      .select(({ fn }) => fn.countAll<number>().as("count")),
);

export const findTeamBySlug = prepare<{ slug: string }>("teams.findBySlug").one(({ db, p }) =>
  db.selectFrom("teams").select("id").where("slug", "=", p("slug")),
);

export const insertTeam = prepare<{
  id: string;
  slug: string;
  name: string;
  creatorId: string;
  inviteCode: string;
  settings: string;
  now: number;
}>("teams.insert").write(({ db, p }) =>
  db.insertInto("teams").values({
    id: p("id"),
    slug: p("slug"),
    name: p("name"),
    avatar: null,
    description: null,
    creator_id: p("creatorId"),
    invite_code: p("inviteCode"),
    settings: p("settings"),
    created_at: p("now"),
    updated_at: p("now"),
    revision: 1,
  }),
);

/** Changes all but what is unique among teams: SQLite would write those indexes anew, also with the values that they have. */
export const updateTeam = prepare<{
  id: string;
  name: string | null;
  avatar: string | null;
  description: string | null;
  settings: string;
  updatedAt: number;
  revision: number;
}>("teams.update").write(({ db, p }) =>
  db
    .updateTable("teams")
    .set({
      name: p("name"),
      avatar: p("avatar"),
      description: p("description"),
      settings: p("settings"),
      updated_at: p("updatedAt"),
      revision: p("revision"),
    })
    .where("id", "=", p("id")),
);

/** Changes what is unique among teams: the slug and the code of the join link. */
export const updateUniqueNames = prepare<{ id: string; slug: string; inviteCode: string }>(
  "teams.updateUniqueNames",
).write(({ db, p }) =>
  db
    .updateTable("teams")
    .set({ slug: p("slug"), invite_code: p("inviteCode") })
    .where("id", "=", p("id")),
);

export const countMembers = prepare<{ teamId: string }>("teams.countMembers").one(({ db, p }) =>
  db
    .selectFrom("memberships")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("team_id", "=", p("teamId"))
    .where("state", "=", "member"),
);
