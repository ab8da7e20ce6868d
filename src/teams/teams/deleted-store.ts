// Statements on deleted teams. A statement gets an id or a slug for which there may be no deleted team.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

/** Bounds the OWNERs that are remembered; only an abusive team has thousands. */
const MAX_OWNERS = 1_000;

export const insertDeletedTeam = prepare<{ now: number }>("deletedTeams.insert").insert("deleted_teams", ({ p }) => ({
  deletedAt: p("now"),
}));

/** Remembers who is OWNER of the team now, those who have been in it for longest first. */
export const insertOwners = prepare<{ teamId: string }>("deletedTeams.insertOwners").write(({ db, p }) =>
  db
    .insertInto("deleted_team_owners")
    .columns(["userId", "teamId"])
    .expression(
      db
        .selectFrom("memberships")
        .select(["userId", "teamId"])
        .where("teamId", "=", p("teamId"))
        .where("role", "=", sql.lit("OWNER"))
        .where("state", "=", sql.lit("member"))
        .orderBy("position")
        .limit(sql.lit(MAX_OWNERS)),
    ),
);

const findOwned = (name: string, column: "team.id" | "team.slug") =>
  prepare<{ name: string; userId: string }>(name).one(({ db, p }) =>
    db
      .selectFrom("deleted_teams as team")
      .innerJoin("deleted_team_owners as owner", "owner.teamId", "team.id")
      .select(["team.id", "team.slug", "team.name"])
      .where(column, "=", p("name"))
      .where("owner.userId", "=", p("userId"))
      // In the order of time, PostgreSQL would look for the one id among all deleted teams.
      .$if(column === "team.slug", (teams) => teams.orderBy("team.deletedAt", "desc").limit(sql.lit(1))),
  );

/** The deleted team with this id or slug (the latest one) of which the user was OWNER. */
export const findOwnedById = findOwned("deletedTeams.findOwnedById", "team.id");
export const findOwnedBySlug = findOwned("deletedTeams.findOwnedBySlug", "team.slug");

const findAny = (name: string, column: "id" | "slug") =>
  prepare<{ name: string }>(name).one(({ db, p }) =>
    db
      .selectFrom("deleted_teams")
      .select(["id", "slug", "name"])
      .where(column, "=", p("name"))
      .$if(column === "slug", (teams) => teams.orderBy("deletedAt", "desc").limit(sql.lit(1))),
  );

/** The same for administrators, regardless of its OWNERs. */
export const findAnyById = findAny("deletedTeams.findById", "id");
export const findAnyBySlug = findAny("deletedTeams.findBySlug", "slug");

/** Deletes some of the teams that were deleted before a time. */
export const deleteBefore = prepare<{ before: number; limit: number }>("deletedTeams.deleteBefore").run(({ db, p }) =>
  db
    .deleteFrom("deleted_teams")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("deleted_teams")
        .select("id")
        .where("deletedAt", "<", p("before"))
        .orderBy("deletedAt")
        .limit(p("limit")),
    ),
);
