// Statements on verified bots. There are at most as many as sources are configured.
import { prepare } from "../../platform/store/prepared.ts";

export const listBots = prepare("bots.list").many(({ db }) =>
  db.selectFrom("verified_bots").selectAll().orderBy("name").orderBy("url"),
);

export const saveBot = prepare<{ url: string; name: string; kind: "ranges" | "agent"; facts: string; now: number }>(
  "bots.save",
).write(({ db, p, excluded, params }) =>
  db
    .insertInto("verified_bots")
    .values({ ...params("url", "name", "kind", "facts"), checkedAt: p("now") })
    .onConflict((conflict) => conflict.column("url").doUpdateSet(excluded("name", "kind", "facts", "checkedAt"))),
);

/** `urls` is a JSON array: those of other sources are deleted. */
export const deleteOtherBots = prepare<{ urls: string }>("bots.deleteOthers").write(({ db, elements }) =>
  db.deleteFrom("verified_bots").where("url", "not in", elements("urls")),
);
