// Statements on teams.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

/** What OWNERs choose and nothing keeps unique among teams, beside what is stored as JSON in `settings`. */
export const CHOSEN_COLUMNS = ["name", "avatar", "description"] as const;
export type ChosenColumns = Pick<Tables["teams"], (typeof CHOSEN_COLUMNS)[number]>;

const TEAM_COLUMNS = [
  "team.id",
  "team.slug",
  ...CHOSEN_COLUMNS.map((name) => `team.${name}` as const),
  "team.creatorId",
  "team.inviteCode",
  "team.settings",
  "team.createdAt",
  "team.updatedAt",
  "team.revision",
  "m.state",
  "m.role",
  "m.joinedFrom",
  "m.teamPermissions",
  "m.confirmedAt",
  "m.accessRequestedAt",
  "m.createdAt as memberSince",
] as const;

/** A team with one user's membership of it, whose members are null when there is none. */
export const findTeam = prepare<{ id: string; userId: string }>("teams.find").one(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("teams as team")
    .leftJoin("memberships as m", (join) => join.onRef("m.teamId", "=", "team.id").on("m.userId", "=", p("userId")))
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
      .innerJoin("teams as team", "team.id", "m.teamId")
      .select([...TEAM_COLUMNS, "m.userPosition as position"])
      .where("m.userId", "=", p("userId"))
      // A literal, because the partial index is used only for its own condition.
      .where("m.state", "=", sql.lit("member"))
      .where(({ ref }) => isNotRemoved(ref("team.id"))),
  "m.userPosition",
);

/** The number of teams that an account has made and that exist, up to a limit. */
export const countTeamsMadeBy = prepare<{ userId: string; limit: number }>("teams.countMadeBy").one(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom(
        db
          .selectFrom("teams")
          .select("id")
          .where("creatorId", "=", p("userId"))
          .where(({ ref }) => isNotRemoved(ref("teams.id")))
          .limit(p("limit"))
          .as("made"),
      )
      .select(({ fn }) => fn.countAll<number>().as("count")),
);

export const findTeamBySlug = prepare<{ slug: string }>("teams.findBySlug").one(({ db, p }) =>
  db.selectFrom("teams").select("id").where("slug", "=", p("slug")),
);

export const insertTeam = prepare<{ now: number }>("teams.insert").insert("teams", ({ p }) => ({
  avatar: null,
  description: null,
  createdAt: p("now"),
  updatedAt: p("now"),
  revision: 1,
}));

/** Changes all but what is unique among teams: SQLite would write those indexes anew, also with the values that they have. */
export const updateTeam = prepare<
  ChosenColumns & { id: string; settings: string; updatedAt: number; revision: number }
>("teams.update").write(({ db, p, params }) =>
  db
    .updateTable("teams")
    .set(params(...CHOSEN_COLUMNS, "settings", "updatedAt", "revision"))
    .where("id", "=", p("id")),
);

/** Changes what is unique among teams: the slug and the code of the join link. */
export const updateUniqueNames = prepare<{ id: string; slug: string; inviteCode: string }>(
  "teams.updateUniqueNames",
).write(({ db, p }) =>
  db
    .updateTable("teams")
    .set({ slug: p("slug"), inviteCode: p("inviteCode") })
    .where("id", "=", p("id")),
);

export const countMembers = prepare<{ teamId: string }>("teams.countMembers").one(({ db, p }) =>
  db
    .selectFrom("memberships")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("teamId", "=", p("teamId"))
    .where("state", "=", "member"),
);
