// Statements on the current and former names of secrets. `is_reserved` is compared with a literal, because an engine uses the
// partial index of reserved names only for a condition that repeats the index's own.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

export const insertName = prepare<{
  ownerId: string;
  secretId: string;
  name: string;
  nameKey: string;
  kind: Tables["secret_names"]["kind"];
  isReserved: number;
  begunAt: number;
  endedAt: number | null;
  position: number;
}>("secretNames.insert").write(({ db, p, nextPosition }) =>
  db.insertInto("secret_names").values({
    secret_id: p("secretId"),
    position: nextPosition("secret_names", { column: "secret_id", param: "secretId" }),
    owner_id: p("ownerId"),
    name: p("name"),
    name_key: p("nameKey"),
    kind: p("kind"),
    is_reserved: p("isReserved"),
    begun_at: p("begunAt"),
    ended_at: p("endedAt"),
  }),
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
    .set({ kind: p("kind"), is_reserved: p("isReserved"), ended_at: p("now") })
    .where("owner_id", "=", p("ownerId"))
    .where("kind", "=", "current");
}

/**
 * Makes the current name an alias, which stays reserved, or a former name, which is free. It is found by its reservation
 * alone: with `secret_id` beside it, SQLite would read all names that the secret ever had.
 */
export const endCurrentName = prepare<EndParams & { nameKey: string }>("secretNames.endCurrent").write((b) =>
  endingCurrent(b).where("name_key", "=", b.p("nameKey")).where("is_reserved", "=", sql.lit(1)),
);

/** The same for a deleted secret, whose names are not reserved. */
export const endFreedName = prepare<EndParams & { secretId: string }>("secretNames.endFreed").write((b) =>
  endingCurrent(b).where("secret_id", "=", b.p("secretId")),
);

/** Ends an alias; returns 0 when there is none. */
export const endAlias = prepare<{ ownerId: string; secretId: string; nameKey: string }>("secretNames.endAlias").run(
  ({ db, p }) =>
    db
      .updateTable("secret_names")
      .set({ kind: "former", is_reserved: 0 })
      .where("owner_id", "=", p("ownerId"))
      .where("secret_id", "=", p("secretId"))
      .where("name_key", "=", p("nameKey"))
      .where("kind", "=", "alias"),
);

/** The secret that a name is reserved for. */
export const findReservation = prepare<{ ownerId: string; nameKey: string }>("secretNames.findReservation").one(
  ({ db, p }) =>
    db
      .selectFrom("secret_names")
      .select(["secret_id", "kind"])
      .where("owner_id", "=", p("ownerId"))
      .where("name_key", "=", p("nameKey"))
      .where("is_reserved", "=", sql.lit(1)),
);

export const countAliases = prepare<{ ownerId: string; secretId: string }>("secretNames.countAliases").one(
  ({ db, p }) =>
    db
      .selectFrom("secret_names")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("owner_id", "=", p("ownerId"))
      .where("secret_id", "=", p("secretId"))
      .where("kind", "=", "alias"),
);

/** Frees all names of a deleted secret. Their kinds stay, so that restoring knows them. */
export const freeNames = prepare<{ ownerId: string; secretId: string }>("secretNames.free").write(({ db, p }) =>
  db
    .updateTable("secret_names")
    .set({ is_reserved: 0 })
    .where("owner_id", "=", p("ownerId"))
    .where("secret_id", "=", p("secretId"))
    .where("is_reserved", "=", sql.lit(1)),
);

/** Reserves the name and the aliases of a deleted secret again, except those taken meanwhile. */
export const reserveFreeNames = prepare<{ ownerId: string; secretId: string }>("secretNames.reserveFree").write(
  ({ db, p }) =>
    db
      .updateTable("secret_names")
      .set({ is_reserved: 1 })
      .where("owner_id", "=", p("ownerId"))
      .where("secret_id", "=", p("secretId"))
      .where("kind", "in", ["current", "alias"])
      .where(({ not, exists, selectFrom, ref }) =>
        not(
          exists(
            selectFrom("secret_names as other")
              .select("other.name_key")
              .where("other.owner_id", "=", p("ownerId"))
              .where("other.name_key", "=", ref("secret_names.name_key"))
              .where("other.is_reserved", "=", sql.lit(1)),
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
      .where("owner_id", "=", p("ownerId"))
      .where("secret_id", "=", p("secretId"))
      .where("kind", "=", "alias")
      .where("is_reserved", "=", 0),
);

export const listNames = prepare<{ ownerId: string; secretId: string }>("secretNames.list").page(({ db, p }) =>
  db
    .selectFrom("secret_names")
    .select(["name", "kind", "begun_at", "ended_at", "position"])
    .where("owner_id", "=", p("ownerId"))
    .where("secret_id", "=", p("secretId")),
);
