// Statements on attack challenge mode.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

type Key = { ownerId: string; projectId: string };

/** Who set the present state. */
export type SetBy = "person" | "automatic" | "end";

export const findMode = prepare<Key>("attackModes.find").one(({ db, p }) =>
  db
    .selectFrom("attack_modes")
    .select(["isEnabled", "activeUntil", "updatedAt", "revision", "setBy", "enabledAt"])
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId")),
);

/** Inserts or updates the mode. The project has to exist. */
export const putMode = prepare<
  Key & { isEnabled: number; activeUntil: number | null; enabledAt: number | null; setBy: SetBy; now: number }
>("attackModes.put").write(({ db, p, params }) =>
  db
    .insertInto("attack_modes")
    .values({
      ...params("ownerId", "projectId", "isEnabled", "activeUntil", "setBy", "enabledAt"),
      updatedAt: p("now"),
      revision: 1,
    })
    .onConflict((conflict) =>
      conflict.columns(["ownerId", "projectId"]).doUpdateSet((eb) => ({
        ...params("isEnabled", "activeUntil", "setBy", "enabledAt"),
        updatedAt: p("now"),
        revision: eb("attack_modes.revision", "+", 1),
      })),
    ),
);

/** Switches the mode off as of its end. */
export const putEnd = prepare<Key & { endedAt: number }>("attackModes.putEnd").write(({ db, p }) =>
  db
    .updateTable("attack_modes")
    .set((eb) => ({
      isEnabled: sql.lit(0),
      activeUntil: null,
      updatedAt: p("endedAt"),
      revision: eb("revision", "+", 1),
      setBy: sql.lit("end" satisfies SetBy),
      enabledAt: null,
    }))
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId")),
);

/** Modes whose end is not recorded, of all owners, the oldest first. */
export const listEnded = prepare<{ now: number; limit: number }>("attackModes.listEnded").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("attack_modes")
      .select(["ownerId", "projectId"])
      .where("activeUntil", "is not", null)
      .where("activeUntil", "<=", p("now"))
      .where(({ ref }) => isNotRemoved(ref("attack_modes.ownerId")))
      .orderBy("activeUntil")
      .limit(p("limit")),
);
