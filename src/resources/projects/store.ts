// Statements on projects.
import { prepare } from "../../store/prepared.ts";

/** Does nothing when the project is there. */
export const insertProject = prepare<{
  ownerId: string;
  id: string;
  teamId: string | null;
  userId: string | null;
  now: number;
  position: number;
}>("projects.insert").run(({ db, p, nextPosition }) =>
  db
    .insertInto("projects")
    .values({
      owner_id: p("ownerId"),
      id: p("id"),
      team_id: p("teamId"),
      user_id: p("userId"),
      created_at: p("now"),
      position: nextPosition("projects", { column: "owner_id", param: "ownerId" }),
    })
    .onConflict((conflict) => conflict.columns(["owner_id", "id"]).doNothing()),
);
