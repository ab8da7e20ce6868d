// Statements on how a user stands to a team.
import { prepare } from "../../store/prepared.ts";

/** A team with how one user stands to it. By id or by slug, never by either: `or` would cost a second index walk. */
const findAuthorization = (name: string, column: "team.id" | "team.slug") =>
  prepare<{ name: string; userId: string }>(name).one(({ db, p, stays }) =>
    db
      .selectFrom("teams as team")
      .leftJoin("memberships as m", (join) => join.onRef("m.team_id", "=", "team.id").on("m.user_id", "=", p("userId")))
      .select(["team.id as id", "team.slug as slug", "team.name as name", "m.state as state", "m.role as role"])
      .where(column, "=", p("name"))
      .where(({ ref }) => stays(ref("team.id"))),
  );

export const findStandingById = findAuthorization("teams.findStandingById", "team.id");
export const findStandingBySlug = findAuthorization("teams.findStandingBySlug", "team.slug");
