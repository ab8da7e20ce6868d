// Statements on a user's membership status in a team.
import { prepare } from "../../platform/store/prepared.ts";

/** A team with one user's membership status. By id or by slug in separate statements: `or` would cost a second index lookup. */
const findAuthorization = (name: string, column: "team.id" | "team.slug") =>
  prepare<{ name: string; userId: string }>(name).one(({ db, p, isNotRemoved }) =>
    db
      .selectFrom("teams as team")
      .leftJoin("memberships as m", (join) => join.onRef("m.teamId", "=", "team.id").on("m.userId", "=", p("userId")))
      .select(["team.id", "team.slug", "team.name", "m.state", "m.role"])
      .where(column, "=", p("name"))
      .where(({ ref }) => isNotRemoved(ref("team.id"))),
  );

export const findAuthorizationById = findAuthorization("teams.findAuthorizationById", "team.id");
export const findAuthorizationBySlug = findAuthorization("teams.findAuthorizationBySlug", "team.slug");
