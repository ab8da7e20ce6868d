// Statements on the current and former names of secrets. `is_reserved` is compared with a literal, because an engine uses the
// partial index of reserved names only for a condition that repeats the index's own.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";

export const insertName = prepare<{ position: number }>("secretNames.insert").insert(
  "secret_names",
  ({ nextPosition }) => ({ position: nextPosition("secret_names", { column: "secretId", param: "secretId" }) }),
);

interface EndParams extends Record<string, string | number> {
  ownerId: string;
  kind: "alias" | "former";
  isReserved: number;
  now: number;
}

function endingCurrent<P extends EndParams>({ db, p }: Build<P>) {
  return db
    .updateTable("secret_names")
    .set({ kind: p("kind"), isReserved: p("isReserved"), endedAt: p("now") })
    .where("ownerId", "=", p("ownerId"))
    .where("kind", "=", "current");
}

/**
 * Makes the current name an alias, which stays reserved, or a former name, which is free. It is found by its reservation
 * alone: with `secret_id` beside it, SQLite would read all names that the secret ever had.
 */
export const endCurrentName = prepare<EndParams & { nameKey: string }>("secretNames.endCurrent").write((b) =>
  endingCurrent(b).where("nameKey", "=", b.p("nameKey")).where("isReserved", "=", sql.lit(1)),
);

/** The same for a deleted secret, whose names are not reserved. */
export const endFreedName = prepare<EndParams & { secretId: string }>("secretNames.endFreed").write((b) =>
  endingCurrent(b).where("secretId", "=", b.p("secretId")),
);

/** Ends an alias; returns 0 when there is none. */
export const endAlias = prepare<{ ownerId: string; secretId: string; nameKey: string }>("secretNames.endAlias").run(
  ({ db, p }) =>
    db
      .updateTable("secret_names")
      .set({ kind: "former", isReserved: 0 })
      .where("ownerId", "=", p("ownerId"))
      .where("secretId", "=", p("secretId"))
      .where("nameKey", "=", p("nameKey"))
      .where("kind", "=", "alias"),
);

/** The secret that a name is reserved for. */
export const findReservation = prepare<{ ownerId: string; nameKey: string }>("secretNames.findReservation").one(
  ({ db, p }) =>
    db
      .selectFrom("secret_names")
      .select(["secretId", "kind"])
      .where("ownerId", "=", p("ownerId"))
      .where("nameKey", "=", p("nameKey"))
      .where("isReserved", "=", sql.lit(1)),
);

export const countAliases = prepare<{ ownerId: string; secretId: string }>("secretNames.countAliases").one(
  ({ db, p }) =>
    db
      .selectFrom("secret_names")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("ownerId", "=", p("ownerId"))
      .where("secretId", "=", p("secretId"))
      .where("kind", "=", "alias"),
);

/** Frees all names of a deleted secret. Their kinds stay, so that restoring knows them. */
export const freeNames = prepare<{ ownerId: string; secretId: string }>("secretNames.free").write(({ db, p }) =>
  db
    .updateTable("secret_names")
    .set({ isReserved: 0 })
    .where("ownerId", "=", p("ownerId"))
    .where("secretId", "=", p("secretId"))
    .where("isReserved", "=", sql.lit(1)),
);

/** Reserves the name and the aliases of a deleted secret again, except those taken meanwhile. */
export const reserveFreeNames = prepare<{ ownerId: string; secretId: string }>("secretNames.reserveFree").write(
  ({ db, p }) =>
    db
      .updateTable("secret_names")
      .set({ isReserved: 1 })
      .where("ownerId", "=", p("ownerId"))
      .where("secretId", "=", p("secretId"))
      .where("kind", "in", ["current", "alias"])
      .where(({ not, exists, selectFrom, ref }) =>
        not(
          exists(
            selectFrom("secret_names as other")
              .select("other.nameKey")
              .where("other.ownerId", "=", p("ownerId"))
              .where("other.nameKey", "=", ref("secret_names.nameKey"))
              .where("other.isReserved", "=", sql.lit(1)),
          ),
        ),
      ),
);

/** Makes aliases that were taken meanwhile former names. */
export const endTakenAliases = prepare<{ ownerId: string; secretId: string }>("secretNames.endTakenAliases").write(
  ({ db, p }) =>
    db
      .updateTable("secret_names")
      .set({ kind: "former" })
      .where("ownerId", "=", p("ownerId"))
      .where("secretId", "=", p("secretId"))
      .where("kind", "=", "alias")
      .where("isReserved", "=", 0),
);

export const listNames = prepare<{ ownerId: string; secretId: string }>("secretNames.list").page(({ db, p }) =>
  db
    .selectFrom("secret_names")
    .select(["name", "kind", "begunAt", "endedAt", "position"])
    .where("ownerId", "=", p("ownerId"))
    .where("secretId", "=", p("secretId")),
);
