// Statements on teams.
import { prepare } from "../../store/prepared.ts";

/** A team by id or slug (a slug never looks like an id), with how one user stands to it. */
export const findTeamStanding = prepare<{ name: string; userId: string }>("teams.findStanding").one(({ db, p }) =>
  db
    .selectFrom("teams as team")
    .leftJoin("memberships as m", (join) => join.onRef("m.team_id", "=", "team.id").on("m.user_id", "=", p("userId")))
    .select(["team.id as id", "team.slug as slug", "team.name as name", "m.state as state", "m.role as role"])
    .where((eb) => eb.or([eb("team.id", "=", p("name")), eb("team.slug", "=", p("name"))])),
);

export const findTeamBySlug = prepare<{ slug: string }>("teams.findBySlug").one(({ db, p }) =>
  db.selectFrom("teams").select("id").where("slug", "=", p("slug")),
);

export const insertTeam = prepare<{
  id: string;
  slug: string;
  name: string | null;
  creatorId: string;
  inviteCode: string;
  settings: string;
  now: number;
}>("teams.insert").run(({ db, p }) =>
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
