// Statements on what secrets are and were called. `is_reserved` is compared with a literal: the index of reserved names
// holds no others, and an engine takes it only for a condition that says so outright.
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";
import type { Build } from "../../store/prepared.ts";
import type { Tables } from "../../store/tables/tables.ts";

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
}>("secretNames.insert").run(({ db, p, nextPosition }) =>
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
 * The present name becomes an alias, which stays reserved, or a former name, which is free. It is found by its
 * reservation alone: next to `secret_id`, SQLite would read all names that the secret ever had.
 */
export const endCurrentName = prepare<EndParams & { nameKey: string }>("secretNames.endCurrent").run((b) =>
  endingCurrent(b).where("name_key", "=", b.p("nameKey")).where("is_reserved", "=", sql.lit(1)),
);

/** The same for a deleted secret, whose names nothing reserves. */
export const endFreedName = prepare<EndParams & { secretId: string }>("secretNames.endFreed").run((b) =>
  endingCurrent(b).where("secret_id", "=", b.p("secretId")),
);

/** Gives up an alias; answers how many there were. */
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

/** Frees all names of a secret that is deleted; their kinds stay, to know what to bring back. */
export const freeNames = prepare<{ ownerId: string; secretId: string }>("secretNames.free").run(({ db, p }) =>
  db
    .updateTable("secret_names")
    .set({ is_reserved: 0 })
    .where("owner_id", "=", p("ownerId"))
    .where("secret_id", "=", p("secretId"))
    .where("is_reserved", "=", sql.lit(1)),
);

/** Reserves again what a deleted secret was called and what its aliases were, as far as nobody else has it. */
export const reserveFreeNames = prepare<{ ownerId: string; secretId: string }>("secretNames.reserveFree").run(
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

/** Aliases that somebody else has by now are former names. */
export const endTakenAliases = prepare<{ ownerId: string; secretId: string }>("secretNames.endTakenAliases").run(
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
