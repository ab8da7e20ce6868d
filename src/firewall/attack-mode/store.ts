// Statements on attack challenge mode.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

type Key = { ownerId: string; projectId: string };

/** Who set the present state. */
export type SetBy = "person" | "automatic" | "end";

export const findMode = prepare<Key>("attackModes.find").one(({ db, p }) =>
  db
    .selectFrom("attack_modes")
    .select(["is_enabled", "active_until", "updated_at", "revision", "set_by", "enabled_at"])
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId")),
);

/** Inserts or updates the mode. The project has to exist. */
export const putMode = prepare<
  Key & { isEnabled: number; activeUntil: number | null; enabledAt: number | null; setBy: SetBy; now: number }
>("attackModes.put").write(({ db, p }) =>
  db
    .insertInto("attack_modes")
    .values({
      owner_id: p("ownerId"),
      project_id: p("projectId"),
      is_enabled: p("isEnabled"),
      active_until: p("activeUntil"),
      updated_at: p("now"),
      revision: 1,
      set_by: p("setBy"),
      enabled_at: p("enabledAt"),
    })
    .onConflict((conflict) =>
      conflict.columns(["owner_id", "project_id"]).doUpdateSet((eb) => ({
        is_enabled: p("isEnabled"),
        active_until: p("activeUntil"),
        updated_at: p("now"),
        revision: eb("attack_modes.revision", "+", 1),
        set_by: p("setBy"),
        enabled_at: p("enabledAt"),
      })),
    ),
);

/** Switches the mode off as of its end. */
export const putEnd = prepare<Key & { endedAt: number }>("attackModes.putEnd").write(({ db, p }) =>
  db
    .updateTable("attack_modes")
    .set((eb) => ({
      is_enabled: sql.lit(0),
      active_until: null,
      updated_at: p("endedAt"),
      revision: eb("revision", "+", 1),
      set_by: sql.lit("end" satisfies SetBy),
      enabled_at: null,
    }))
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId")),
);

/** Modes whose end is not recorded, of all owners, the oldest first. */
export const listEnded = prepare<{ now: number; limit: number }>("attackModes.listEnded").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("attack_modes")
      .select(["owner_id", "project_id"])
      .where("active_until", "is not", null)
      .where("active_until", "<=", p("now"))
      .where(({ ref }) => isNotRemoved(ref("attack_modes.owner_id")))
      .orderBy("active_until")
      .limit(p("limit")),
);
