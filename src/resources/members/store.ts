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
