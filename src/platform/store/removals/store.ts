// Statements that delete the rows of a deleted team or account, some at a time. Only this file knows the tables of all resources: an
// owner is deleted as a whole, so each table is listed here. test/store/removals.test.ts compares the list with the schema.
import { sql } from "kysely";
import { prepare } from "../prepared.ts";
import type { Tables } from "../tables/tables.ts";

export const insertRemoval = prepare<{ ownerId: string; accountRemoval: string | null; now: number }>(
  "removals.insert",
).write(({ db, p }) =>
  db
    .insertInto("removals")
    .values({ ownerId: p("ownerId"), begunAt: p("now"), removed: 0, departure: p("accountRemoval") }),
);

/** The next removal; `except` is a JSON array of the owners to leave out. */
export const findNextRemoval = prepare<{ except: string }>("removals.findNext").one(({ db, elements }) =>
  db
    .selectFrom("removals")
    .select("ownerId")
    .where("ownerId", "not in", elements("except"))
    .orderBy("ownerId")
    .limit(1),
);

/** The removal of an owner, unless another transaction is working on it. */
export const takeRemoval = prepare<{ ownerId: string }>("removals.take").one(({ db, p, forUpdateSkipLocked }) =>
  db
    .selectFrom("removals")
    .select("departure as accountRemoval")
    .where("ownerId", "=", p("ownerId"))
    .modifyEnd(forUpdateSkipLocked),
);

export const findAnyRemoval = prepare("removals.findAny").one(({ db }) =>
  db.selectFrom("removals").select("ownerId").limit(1),
);

export const recordRemoved = prepare<{ ownerId: string; rows: number }>("removals.note").write(({ db, p }) =>
  db
    .updateTable("removals")
    .set((eb) => ({ removed: eb("removed", "+", p("rows")) }))
    .where("ownerId", "=", p("ownerId")),
);

export const deleteRemoval = prepare<{ ownerId: string }>("removals.delete").write(({ db, p }) =>
  db.deleteFrom("removals").where("ownerId", "=", p("ownerId")),
);

/** The number of pending removals, up to a limit, when the oldest one began, and how many rows were deleted. */
export const measureRemovals = prepare<{ limit: number }>("removals.measure").one(({ db, p }) =>
  db
    .selectFrom((eb) => eb.selectFrom("removals").select(["begunAt", "removed"]).limit(p("limit")).as("pending"))
    .select(({ fn }) => [
      fn.countAll<number>().as("pending"),
      fn.min("pending.begunAt").as("oldestBegunAt"),
      sql<number>`cast(coalesce(sum(pending.removed), 0) as bigint)`.as("removed"),
    ]),
);

/** The kinds of owners. */
export type Kind = "team" | "user";

const deleteTeam = prepare<{ id: string }>("removals.deleteTeam").run(({ db, p }) =>
  db.deleteFrom("teams").where("id", "=", p("id")),
);
const deleteUser = prepare<{ id: string }>("removals.deleteUser").run(({ db, p }) =>
  db.deleteFrom("users").where("id", "=", p("id")),
);
/** Deletes the owner's own row, when no row refers to it any more. */
export const deleteRow = { team: deleteTeam, user: deleteUser };

type Release = { id: string; name: string; now: number };

const releaseTeam = prepare<Release>("removals.releaseTeam").run(({ db, p }) =>
  db
    .updateTable("teams")
    .set({ slug: p("name"), inviteCode: p("name") })
    .where("id", "=", p("id")),
);
/** The account is suspended, so that it neither signs in nor administers. */
const releaseUser = prepare<Release>("removals.releaseUser").run(({ db, p }) =>
  db
    .updateTable("users")
    .set({
      email: p("name"),
      emailKey: p("name"),
      username: p("name"),
      usernameKey: p("name"),
      name: null,
      avatar: null,
      defaultTeamId: null,
      isAdmin: 0,
      suspendedAt: p("now"),
    })
    .where("id", "=", p("id")),
);
/** Frees the names of the owner at once for others. */
export const release = { team: releaseTeam, user: releaseUser };

/** Clears the team as the default of the members that the next deletion removes. */
export const clearDefaultTeams = prepare<{ ownerId: string; limit: number; now: number }>(
  "removals.clearDefaultTeams",
).write(({ db, p }) =>
  db
    .updateTable("users")
    .set((eb) => ({ defaultTeamId: null, updatedAt: p("now"), revision: eb("revision", "+", 1) }))
    .where("id", "in", (eb) =>
      eb
        .selectFrom("memberships")
        .select("userId")
        .where("teamId", "=", p("ownerId"))
        .orderBy("userId")
        .limit(p("limit")),
    )
    .where("defaultTeamId", "=", p("ownerId")),
);

interface Owned {
  readonly table: keyof Tables;
  /** The columns that name the team or the account; a kind without a column has no rows there. */
  readonly columns: { readonly [kind in Kind]?: string };
  readonly key: readonly string[];
  /** A row counts as so many: it is large, or others are deleted with it. */
  readonly weight: number;
}

const own = (table: keyof Tables, columns: Owned["columns"], key: readonly string[], weight = 1): Owned => ({
  table,
  columns,
  key,
  weight,
});
const EITHER = { team: "teamId", user: "userId" };
const OWNER = { team: "ownerId", user: "ownerId" };
const TEAM = { team: "teamId" };
const PROJECT = ["ownerId", "projectId"];

/**
 * In the order of their references. Versions and names of secrets are deleted with their secrets, and sealed values with their
 * webhooks. An account leaves its teams before (members/account-removal.ts).
 */
export const OWNED: readonly Owned[] = [
  own("api_keys", EITHER, ["id"]),
  own("identity_trusts", EITHER, ["id"]),
  own("identity_tokens", OWNER, ["ownerId", "hash"]),
  own("access_tokens", EITHER, ["id"]),
  own("sessions", { user: "userId" }, ["id"]),
  own("passwords", { user: "userId" }, ["userId"]),
  own("passkeys", { user: "userId" }, ["id"]),
  own("identities", { user: "userId" }, ["id"]),
  own("recovery_codes", { user: "userId" }, ["userId", "hash"]),
  own("one_time_codes", { user: "userId" }, ["hash"]),
  own("known_devices", { user: "userId" }, ["userId", "hash"]),
  own("oauth_records", { user: "userId" }, ["model", "hash"]),
  own("invites", TEAM, ["id"]),
  own("webhooks", EITHER, ["id"], 50),
  own("secrets", EITHER, ["id"], 50),
  own("gate_decisions", OWNER, ["ownerId", "id"], 10),
  own("firewall_traffic", OWNER, [...PROJECT, "host", "minute", "ip", "action", "ruleId"]),
  own("firewall_traffic_minutes", OWNER, [...PROJECT, "host", "minute"]),
  own("firewall_traffic_hours", OWNER, [...PROJECT, "host", "hour"]),
  own("firewall_traffic_rules", OWNER, [...PROJECT, "hour", "action", "ruleId"]),
  own("firewall_minutes", OWNER, [...PROJECT, "minute"]),
  own("firewall_bypasses", OWNER, [...PROJECT, "id"]),
  own("firewall_bypass_rules", OWNER, [...PROJECT, "domain"], 5),
  own("attack_modes", OWNER, PROJECT),
  own("attack_mode_automatic", OWNER, PROJECT),
  own("environment_versions", OWNER, [...PROJECT, "name", "version"], 50),
  own("environments", OWNER, [...PROJECT, "name"]),
  own("firewall_versions", OWNER, [...PROJECT, "version"], 50),
  own("firewalls", OWNER, PROJECT),
  own("projects", EITHER, ["ownerId", "id"]),
  own("declined_requests", EITHER, ["teamId", "userId"]),
  own("former_members", EITHER, ["teamId", "userId"]),
  own("deleted_team_owners", { user: "userId" }, ["userId", "teamId"]),
  own("mail_stops", TEAM, ["teamId", "recipient"]),
  own("search_entries", { team: "scope", user: "userId" }, ["scope", "ordinal"]),
  own("memberships", TEAM, ["teamId", "userId"]),
];

/** Deletes the first rows of a table that belong to an owner, in the order of its key. */
function deletion(table: keyof Tables, column: string, key: readonly string[], kind: Kind) {
  return prepare<{ ownerId: string; limit: number }>(`removals.delete-${kind}-${table}`).run(({ db, p }) => {
    const columns = sql.join(key.map((name) => sql.ref(name)));
    // Where the key begins with the owner, its order costs nothing; elsewhere it would sort all that is left.
    const order = key[0] === column ? sql`order by ${columns}` : sql``;
    return db.deleteFrom(table).where(
      sql<boolean>`(${columns}) in (select ${columns} from ${sql.table(table)}
        where ${sql.ref(column)} = ${p("ownerId")} ${order} limit ${p("limit")})`,
    );
  });
}

const deletionsOf = (kind: Kind) =>
  OWNED.flatMap(({ table, columns, key, weight }) => {
    const column = columns[kind];
    return column === undefined ? [] : [{ table, weight, deleteSome: deletion(table, column, key, kind) }];
  });
/** The deletions of an owner's rows, table by table. */
export const DELETIONS = { team: deletionsOf("team"), user: deletionsOf("user") };
