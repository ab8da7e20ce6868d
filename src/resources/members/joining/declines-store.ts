// Statements on declined access requests. Open ones are memberships in the state `requested`.
import { prepare } from "../../../store/prepared.ts";

export const findDecline = prepare<{ teamId: string; userId: string }>("declines.find").one(({ db, p }) =>
  db
    .selectFrom("declined_requests")
    .select("declined_at as declinedAt")
    .where("team_id", "=", p("teamId"))
    .where("user_id", "=", p("userId")),
);

export const upsertDecline = prepare<{ teamId: string; userId: string; now: number }>("declines.upsert").run(
  ({ db, p }) =>
    db
      .insertInto("declined_requests")
      .values({ team_id: p("teamId"), user_id: p("userId"), declined_at: p("now") })
      .onConflict((conflict) =>
        conflict.columns(["team_id", "user_id"]).doUpdateSet((eb) => ({ declined_at: eb.ref("excluded.declined_at") })),
      ),
);
