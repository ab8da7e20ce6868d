// Statements that remove what belongs to a deleted team, some rows at a time. This alone knows the tables of all slices:
// a team is deleted as a whole, and each table of it is listed here (test/store/removals.test.ts compares them with the schema).
import { sql } from "kysely";
import { prepare } from "../../store/prepared.ts";
import type { Tables } from "../../store/tables.ts";

export const insertRemoval = prepare<{ ownerId: string; now: number }>("removals.insert").run(({ db, p }) =>
  db.insertInto("removals").values({ owner_id: p("ownerId"), begun_at: p("now"), removed: 0 }),
);

/** One that nobody else is working on. */
export const takeRemoval = prepare("removals.take").one(({ db, forUpdateSkipLocked }) =>
  db.selectFrom("removals").select("owner_id as ownerId").orderBy("owner_id").limit(1).modifyEnd(forUpdateSkipLocked),
);

export const findAnyRemoval = prepare("removals.findAny").one(({ db }) =>
  db.selectFrom("removals").select("owner_id").limit(1),
);

export const noteRemoved = prepare<{ ownerId: string; rows: number }>("removals.note").run(({ db, p }) =>
  db
    .updateTable("removals")
    .set((eb) => ({ removed: eb("removed", "+", p("rows")) }))
    .where("owner_id", "=", p("ownerId")),
);

export const deleteRemoval = prepare<{ ownerId: string }>("removals.delete").run(({ db, p }) =>
  db.deleteFrom("removals").where("owner_id", "=", p("ownerId")),
);

/** How many teams are being removed, since when, and how many rows of them are gone; up to a limit. */
export const measureRemovals = prepare<{ limit: number }>("removals.measure").one(({ db, p }) =>
  db
    .selectFrom((eb) => eb.selectFrom("removals").select(["begun_at", "removed"]).limit(p("limit")).as("pending"))
    .select(({ fn }) => [
      fn.countAll<number>().as("pending"),
      fn.min("pending.begun_at").as("oldestBegunAt"),
      sql<number>`cast(coalesce(sum(pending.removed), 0) as bigint)`.as("removed"),
    ]),
);

/** When nothing refers to it any more. */
export const deleteTeam = prepare<{ id: string }>("removals.deleteTeam").run(({ db, p }) =>
  db.deleteFrom("teams").where("id", "=", p("id")),
);

/** Nothing else has the slug and the code of a team that is gone, and they are free at once. */
export const releaseNames = prepare<{ id: string; name: string }>("removals.releaseNames").run(({ db, p }) =>
  db
    .updateTable("teams")
    .set({ slug: p("name"), invite_code: p("name") })
    .where("id", "=", p("id")),
);

/** Takes the team from accounts whose default it is: of the members that `deleteRows` takes next. */
export const clearDefaultTeams = prepare<{ ownerId: string; limit: number; now: number }>(
  "removals.clearDefaultTeams",
).run(({ db, p }) =>
  db
    .updateTable("users")
    .set((eb) => ({ default_team_id: null, updated_at: p("now"), revision: eb("revision", "+", 1) }))
    .where("id", "in", (eb) =>
      eb
        .selectFrom("memberships")
        .select("user_id")
        .where("team_id", "=", p("ownerId"))
        .orderBy("user_id")
        .limit(p("limit")),
    )
    .where("default_team_id", "=", p("ownerId")),
);

interface Owned {
  readonly table: keyof Tables;
  /** The column that names the team. */
  readonly column: string;
  readonly key: readonly string[];
  /** Rows that hold much, or many others, count for so many. */
  readonly weight: number;
}

const own = (table: keyof Tables, column: string, key: readonly string[], weight = 1): Owned => ({
  table,
  column,
  key,
  weight,
});
const PROJECT = ["owner_id", "project_id"];

/** From those that nothing refers to any more. Versions and names of secrets go with these, and what webhooks have with them. */
export const OWNED: readonly Owned[] = [
  own("api_keys", "team_id", ["id"]),
  own("access_tokens", "team_id", ["id"]),
  own("invites", "team_id", ["id"]),
  own("webhooks", "team_id", ["id"], 50),
  own("secrets", "team_id", ["id"], 50),
  own("firewall_traffic", "owner_id", [...PROJECT, "host", "minute", "ip", "action", "rule_id"]),
  own("firewall_traffic_minutes", "owner_id", [...PROJECT, "host", "minute"]),
  own("firewall_traffic_hours", "owner_id", [...PROJECT, "host", "hour"]),
  own("firewall_traffic_rules", "owner_id", [...PROJECT, "hour", "action", "rule_id"]),
  own("firewall_bypasses", "owner_id", [...PROJECT, "id"]),
  own("attack_modes", "owner_id", PROJECT),
  own("firewall_versions", "owner_id", [...PROJECT, "version"], 50),
  own("firewalls", "owner_id", PROJECT),
  own("projects", "team_id", ["owner_id", "id"]),
  own("declined_requests", "team_id", ["team_id", "user_id"]),
  own("former_members", "team_id", ["team_id", "user_id"]),
  own("mail_stops", "team_id", ["team_id", "recipient"]),
  own("search_entries", "scope", ["scope", "ordinal"]),
  own("memberships", "team_id", ["team_id", "user_id"]),
];

/** Deletes the first rows of a table that belong to a team, in the order of its key. */
const deleteRows = new Map(
  OWNED.map(({ table, column, key }) => [
    table,
    prepare<{ ownerId: string; limit: number }>(`removals.delete-${table}`).run(({ db, p }) => {
      const columns = sql.join(key.map((name) => sql.ref(name)));
      // Where the key begins with the team, its order costs nothing; elsewhere it would sort all that is left.
      const order = key[0] === column ? sql`order by ${columns}` : sql``;
      return db.deleteFrom(table).where(
        sql<boolean>`(${columns}) in (select ${columns} from ${sql.table(table)}
          where ${sql.ref(column)} = ${p("ownerId")} ${order} limit ${p("limit")})`,
      );
    }),
  ]),
);

export function deletionOf({ table }: Owned) {
  return deleteRows.get(table) as NonNullable<ReturnType<typeof deleteRows.get>>;
}
