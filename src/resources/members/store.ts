// Statements on memberships: one row per person and team in any state but `none`.
import { prepare } from "../../store/prepared.ts";
import type { MembershipState } from "../../store/tables.ts";

export const insertMembership = prepare<{
  teamId: string;
  userId: string;
  state: MembershipState;
  role: string;
  joinedFrom: string;
  projects: string;
  invitedBy: string | null;
  confirmedAt: number | null;
  accessRequestedAt: number | null;
  now: number;
  position: number;
}>("members.insert").run(({ db, p, nextPosition }) =>
  db.insertInto("memberships").values({
    team_id: p("teamId"),
    user_id: p("userId"),
    state: p("state"),
    role: p("role"),
    joined_from: p("joinedFrom"),
    team_permissions: "[]",
    projects: p("projects"),
    invited_by: p("invitedBy"),
    confirmed_at: p("confirmedAt"),
    access_requested_at: p("accessRequestedAt"),
    created_at: p("now"),
    updated_at: p("now"),
    position: nextPosition("memberships", { column: "team_id", param: "teamId" }),
    user_position: nextPosition("memberships", { column: "user_id", param: "userId" }, "user_position"),
    revision: 1,
  }),
);

/** Where a user stands in whatever state, in the order in which teams are locked. */
export const listMembershipsOfUser = prepare<{ userId: string }>("members.listOfUser").many(({ db, p }) =>
  db
    .selectFrom("memberships")
    .select(["team_id as teamId", "state", "role"])
    .where("user_id", "=", p("userId"))
    .orderBy("team_id"),
);

/** Teams that would have no confirmed OWNER without this user. */
export const listTeamsWithoutOtherOwner = prepare<{ userId: string }>("members.listWithoutOtherOwner").many(
  ({ db, p }) =>
    db
      .selectFrom("memberships as m")
      .innerJoin("teams as team", "team.id", "m.team_id")
      .select(["team.id as id", "team.slug as slug"])
      .where("m.user_id", "=", p("userId"))
      .where("m.state", "=", "member")
      .where("m.role", "=", "OWNER")
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("memberships as other")
              .select("other.user_id")
              .whereRef("other.team_id", "=", "m.team_id")
              .where("other.state", "=", "member")
              .where("other.role", "=", "OWNER")
              .where("other.user_id", "!=", p("userId")),
          ),
        ),
      )
      .orderBy("team.slug"),
);
