// Statements on API keys.
import type { ExpressionBuilder } from "kysely";
import type { Tables } from "../../platform/store/tables/tables.ts";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/prepared.ts";

/** A valid key by its value or the one before it, with its user if it has one: all that authenticating needs. */
export const findKeyWithUser = prepare<{ hash: string; now: number }>("apiKeys.findWithUser").one(
  ({ db, p, isNotRemoved, present }) =>
    db
      .selectFrom("api_keys as key")
      .leftJoin("users as user", "user.id", "key.user_id")
      .select(({ ref }) => [
        "key.id as keyId",
        "key.name as keyName",
        "key.team_id as teamId",
        "key.role as role",
        "key.permissions as permissions",
        "key.limits as limits",
        "key.allowed_cidrs as allowedCidrs",
        "key.active_at as activeAt",
        "key.expires_at as expiresAt",
        "key.responsible_id as responsibleId",
        "key.hash as hash",
        "key.previous_expires_at as previousExpiresAt",
        "user.id as userId",
        "user.email as email",
        "user.username as username",
        "user.name as name",
        "user.avatar as avatar",
        "user.created_at as createdAt",
        "user.revision as revision",
        present(ref("user.default_team_id")).as("defaultTeamId"),
      ])
      .where((eb) =>
        eb.or([
          eb("key.hash", "=", p("hash")),
          eb.and([
            eb("key.previous_hash", "=", p("hash")),
            eb("key.previous_expires_at", ">", p("now")),
            isNotRemoved(eb.ref("key.previous_responsible_id")),
          ]),
        ]),
      )
      .where((eb) => eb.or([eb("key.expires_at", "is", null), eb("key.expires_at", ">", p("now"))]))
      .where("key.suspended_at", "is", null)
      .where("user.suspended_at", "is", null)
      .where(({ ref }) => isNotRemoved(ref("key.team_id")))
      .where(({ ref }) => isNotRemoved(ref("key.responsible_id"))),
);

/** The number of keys of an owner that somebody made, up to a limit; those of trust rules have a bound of their own. */
export const countKeys = prepare<{ ownerId: string; limit: number }>("apiKeys.countUpTo").one(({ db, p }) =>
  db
    .selectFrom(
      db
        .selectFrom("api_keys")
        .select("id")
        .where("owner_id", "=", p("ownerId"))
        .where("trust_id", "is", null)
        .limit(p("limit"))
        .as("some"),
    )
    .select(({ fn }) => fn.countAll<number>().as("count")),
);

export const insertKey = prepare<{
  id: string;
  ownerId: string;
  teamId: string | null;
  userId: string | null;
  name: string;
  role: string;
  permissions: string | null;
  limits: string | null;
  hash: string;
  prefix: string;
  suffix: string;
  allowedCidrs: string | null;
  expiresAt: number | null;
  createdBy: string;
  responsibleId: string | null;
  /** The trust rule that issues it; null: a caller creates it. */
  trustId: string | null;
  now: number;
  position: number;
}>("apiKeys.insert").write(({ db, p, nextPosition }) =>
  db.insertInto("api_keys").values({
    id: p("id"),
    owner_id: p("ownerId"),
    team_id: p("teamId"),
    user_id: p("userId"),
    name: p("name"),
    role: p("role"),
    hash: p("hash"),
    previous_hash: null,
    previous_expires_at: null,
    prefix: p("prefix"),
    suffix: p("suffix"),
    allowed_cidrs: p("allowedCidrs"),
    expires_at: p("expiresAt"),
    active_at: p("now"),
    created_by: p("createdBy"),
    created_at: p("now"),
    position: nextPosition("api_keys", { column: "owner_id", param: "ownerId" }),
    revision: 1,
    responsible_id: p("responsibleId"),
    previous_responsible_id: null,
    suspended_at: null,
    permissions: p("permissions"),
    limits: p("limits"),
    trust_id: p("trustId"),
  }),
);

export const findKey = prepare<{ ownerId: string; id: string }>("apiKeys.find").one(({ db, p }) =>
  db.selectFrom("api_keys").selectAll().where("owner_id", "=", p("ownerId")).where("id", "=", p("id")),
);
export type KeyRow = Tables["api_keys"];

/** Without those that trust rules issue: there may be many, and none is older than some minutes. */
export const listKeys = prepare<{ ownerId: string }>("apiKeys.list").page(({ db, p }) =>
  db.selectFrom("api_keys").selectAll().where("owner_id", "=", p("ownerId")).where("trust_id", "is", null),
);

/** Replaces the value; the old one stays valid until `previousExpiresAt`, or stops at once when that is null. */
export const replaceKeyValue = prepare<{
  ownerId: string;
  id: string;
  hash: string;
  suffix: string;
  previousHash: string | null;
  previousExpiresAt: number | null;
  previousResponsibleId: string | null;
  responsibleId: string | null;
}>("apiKeys.replaceValue").write(({ db, p }) =>
  db
    .updateTable("api_keys")
    .set((eb) => ({
      hash: p("hash"),
      suffix: p("suffix"),
      previous_hash: p("previousHash"),
      previous_expires_at: p("previousExpiresAt"),
      previous_responsible_id: p("previousResponsibleId"),
      responsible_id: p("responsibleId"),
      revision: eb("revision", "+", 1),
    }))
    .where("owner_id", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

/** Makes another user responsible for a key, and ends its suspension. */
export const adoptKey = prepare<{ ownerId: string; id: string; responsibleId: string }>("apiKeys.adopt").write(
  ({ db, p }) =>
    db
      .updateTable("api_keys")
      .set((eb) => ({
        responsible_id: p("responsibleId"),
        suspended_at: null,
        revision: eb("revision", "+", 1),
      }))
      .where("owner_id", "=", p("ownerId"))
      .where("id", "=", p("id")),
);

/** An account and its membership in a team; locks the account until the transaction ends. */
export const findResponsible = prepare<{ teamId: string; userId: string }>("apiKeys.findResponsible").one(
  ({ db, p, forShareOf }) =>
    db
      .selectFrom("users as user")
      .leftJoin("memberships as m", (join) => join.onRef("m.user_id", "=", "user.id").on("m.team_id", "=", p("teamId")))
      .select(["user.is_admin as isAdmin", "user.suspended_at as suspendedAt", "m.state as state", "m.role as role"])
      .where("user.id", "=", p("userId"))
      .modifyEnd(forShareOf("user")),
);

/** What is too much for a key: the roles, and the permissions of them; JSON arrays. */
export type Excess = { readonly roles: string; readonly missing: string };

/** Whether a key may do too much: its role may, and if it lists permissions, one of those is too much. */
const exceeds =
  ({ elements, hasElement }: Pick<Build<Excess>, "elements" | "hasElement">) =>
  ({ and, or, eb, ref }: ExpressionBuilder<Tables, "api_keys">) =>
    and([
      eb("role", "in", elements("roles")),
      or([eb("permissions", "is", null), hasElement(ref("api_keys.permissions"), "missing")]),
    ]);

type KeysOfPerson = Excess & { teamId: string; userId: string };

/** The first working keys of a team that a user is responsible for and that may do too much. */
export const listKeysOf = prepare<KeysOfPerson & { limit: number }>("apiKeys.listOfResponsible").many(
  ({ db, p, ...build }) =>
    db
      .selectFrom("api_keys")
      .select(["id", "name", "role"])
      .where("responsible_id", "=", p("userId"))
      .where("team_id", "=", p("teamId"))
      .where("suspended_at", "is", null)
      .where(exceeds(build))
      .orderBy("position")
      .limit(p("limit")),
);

export const suspendKeysOf = prepare<KeysOfPerson & { now: number }>("apiKeys.suspend").run(({ db, p, ...build }) =>
  db
    .updateTable("api_keys")
    .set((eb) => ({ suspended_at: p("now"), revision: eb("revision", "+", 1) }))
    .where("responsible_id", "=", p("userId"))
    .where("team_id", "=", p("teamId"))
    .where("suspended_at", "is", null)
    .where(exceeds(build)),
);

/** Ends the replaced values of a team's keys that may do too much, whoever is responsible for the keys now. */
export const endPreviousValues = prepare<Excess & { teamId: string }>("apiKeys.endPreviousValues").write(
  ({ db, p, ...build }) =>
    db
      .updateTable("api_keys")
      .set((eb) => ({
        previous_hash: null,
        previous_expires_at: null,
        previous_responsible_id: null,
        revision: eb("revision", "+", 1),
      }))
      .where("team_id", "=", p("teamId"))
      .where("previous_hash", "is not", null)
      .where(exceeds(build)),
);

/**
 * Teams in which a user may know the value of a working key: the user is or was responsible for the key, or is a member and may
 * know a replaced value; and those whose trust rules the user is responsible for.
 */
export const listTeamsOfKeysOf = prepare<{ userId: string }>("apiKeys.listTeamsOfResponsible").many(({ db, p }) =>
  db
    .selectFrom("api_keys")
    .select((eb) => eb.fn.coalesce("team_id", "owner_id").as("teamId"))
    .where("responsible_id", "=", p("userId"))
    .where("suspended_at", "is", null)
    .union(
      db
        .selectFrom("api_keys")
        .select((eb) => eb.fn.coalesce("team_id", "owner_id").as("teamId"))
        .where("previous_responsible_id", "=", p("userId")),
    )
    .union(
      db
        .selectFrom("identity_trusts")
        .select((eb) => eb.fn.coalesce("team_id", "owner_id").as("teamId"))
        .where("responsible_id", "=", p("userId"))
        .where("suspended_at", "is", null),
    )
    .union(
      db
        .selectFrom("memberships as m")
        .innerJoin("api_keys as key", "key.team_id", "m.team_id")
        .select("m.team_id as teamId")
        .where("m.user_id", "=", p("userId"))
        .where("m.state", "=", "member")
        .where("key.previous_hash", "is not", null),
    ),
);

export const deleteKey = prepare<{ ownerId: string; id: string }>("apiKeys.delete").write(({ db, p }) =>
  db.deleteFrom("api_keys").where("owner_id", "=", p("ownerId")).where("id", "=", p("id")),
);

/** Notes the last use of many keys; `ids` is a JSON array. */
export const touchKeys = prepare<{ ids: string; activeAt: number }>("apiKeys.touch").write(({ db, p, elements }) =>
  db
    .updateTable("api_keys")
    .set({ active_at: p("activeAt") })
    .where("id", "in", elements("ids"))
    .where("active_at", "<", p("activeAt")),
);
