// Statements on stopped mail, by team and recipient, and on the key that signs links.
import { prepare } from "../../store/prepared.ts";

type Stop = { teamId: string; recipient: string };

export const findLinkKey = prepare("mailLinkKeys.find").one(({ db }) =>
  db.selectFrom("mail_link_keys").select("secret").where("slot", "=", "current"),
);

export const insertLinkKey = prepare<{ secret: string }>("mailLinkKeys.insert").run(({ db, p }) =>
  db
    .insertInto("mail_link_keys")
    .values({ slot: "current", secret: p("secret") })
    .onConflict((conflict) => conflict.column("slot").doNothing()),
);

/** The team of a link, and since when its mail is stopped; undefined when there is no such team. */
export const findStop = prepare<Stop>("mailStops.find").one(({ db, p }) =>
  db
    .selectFrom("teams")
    .leftJoin("mail_stops as stop", (join) =>
      join.onRef("stop.team_id", "=", "teams.id").on("stop.recipient", "=", p("recipient")),
    )
    .select(["teams.slug", "stop.created_at as stoppedAt"])
    .where("teams.id", "=", p("teamId")),
);

export const insertStop = prepare<Stop & { now: number }>("mailStops.insert").run(({ db, p }) =>
  db
    .insertInto("mail_stops")
    .values({ team_id: p("teamId"), recipient: p("recipient"), created_at: p("now") })
    .onConflict((conflict) => conflict.columns(["team_id", "recipient"]).doNothing()),
);

export const deleteStop = prepare<Stop>("mailStops.delete").run(({ db, p }) =>
  db.deleteFrom("mail_stops").where("team_id", "=", p("teamId")).where("recipient", "=", p("recipient")),
);
