// Statements on verified bots. There are at most as many as sources are configured.
import { prepare } from "../../platform/store/prepared.ts";

export const listBots = prepare("bots.list").many(({ db }) =>
  db.selectFrom("verified_bots").selectAll().orderBy("name").orderBy("url"),
);

export const saveBot = prepare<{ url: string; name: string; kind: "ranges" | "agent"; facts: string; now: number }>(
  "bots.save",
).write(({ db, p }) =>
  db
    .insertInto("verified_bots")
    .values({ url: p("url"), name: p("name"), kind: p("kind"), facts: p("facts"), checked_at: p("now") })
    .onConflict((conflict) =>
      conflict.column("url").doUpdateSet((eb) => ({
        name: eb.ref("excluded.name"),
        kind: eb.ref("excluded.kind"),
        facts: eb.ref("excluded.facts"),
        checked_at: eb.ref("excluded.checked_at"),
      })),
    ),
);

/** `urls` is a JSON array: those of other sources are deleted. */
export const deleteOtherBots = prepare<{ urls: string }>("bots.deleteOthers").write(({ db, elements }) =>
  db.deleteFrom("verified_bots").where("url", "not in", elements("urls")),
);
