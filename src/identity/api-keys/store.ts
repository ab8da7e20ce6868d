// Statements on API keys.
import type { ExpressionBuilder } from "kysely";
import type { Tables } from "../../platform/store/tables/tables.ts";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";

/** A valid key by its value or the one before it, with its user if it has one: all that authenticating needs. */
export const findKeyWithUser = prepare<{ hash: string; now: number }>("apiKeys.findWithUser").one(
  ({ db, p, isNotRemoved, present }) =>
    db
      .selectFrom("api_keys as key")
      .leftJoin("users as user", "user.id", "key.userId")
      .select(({ ref }) => [
        "key.id as keyId",
        "key.name as keyName",
        "key.teamId",
        "key.role",
        "key.permissions",
        "key.limits",
        "key.allowedCidrs",
        "key.activeAt",
        "key.expiresAt",
        "key.responsibleId",
        "key.hash",
        "key.previousExpiresAt",
        "user.id as userId",
        "user.email",
        "user.username",
        "user.name",
        "user.avatar",
        "user.createdAt",
        "user.revision",
        present(ref("user.defaultTeamId")).as("defaultTeamId"),
      ])
      .where((eb) =>
        eb.or([
          eb("key.hash", "=", p("hash")),
          eb.and([
            eb("key.previousHash", "=", p("hash")),
            eb("key.previousExpiresAt", ">", p("now")),
            isNotRemoved(eb.ref("key.previousResponsibleId")),
          ]),
        ]),
      )
      .where((eb) => eb.or([eb("key.expiresAt", "is", null), eb("key.expiresAt", ">", p("now"))]))
      .where("key.suspendedAt", "is", null)
      .where("user.suspendedAt", "is", null)
      .where(({ ref }) => isNotRemoved(ref("key.teamId")))
      .where(({ ref }) => isNotRemoved(ref("key.responsibleId"))),
);

/** The number of keys of an owner that somebody made, up to a limit; those of trust rules have a bound of their own. */
export const countKeys = prepare<{ ownerId: string; limit: number }>("apiKeys.countUpTo").one(({ db, p }) =>
  db
    .selectFrom(
      db
        .selectFrom("api_keys")
        .select("id")
        .where("ownerId", "=", p("ownerId"))
        .where("trustId", "is", null)
        .limit(p("limit"))
        .as("some"),
    )
    .select(({ fn }) => fn.countAll<number>().as("count")),
);

export const insertKey = prepare<{ now: number; position: number }>("apiKeys.insert").insert(
  "api_keys",
  ({ p, nextPosition }) => ({
    previousHash: null,
    previousExpiresAt: null,
    activeAt: p("now"),
    createdAt: p("now"),
    position: nextPosition("api_keys", { column: "ownerId", param: "ownerId" }),
    revision: 1,
    previousResponsibleId: null,
    suspendedAt: null,
  }),
);

export const findKey = prepare<{ ownerId: string; id: string }>("apiKeys.find").one(({ db, p }) =>
  db.selectFrom("api_keys").selectAll().where("ownerId", "=", p("ownerId")).where("id", "=", p("id")),
);
export type KeyRow = Tables["api_keys"];

/** Without those that trust rules issue: there may be many, and none is older than some minutes. */
export const listKeys = prepare<{ ownerId: string }>("apiKeys.list").page(({ db, p }) =>
  db.selectFrom("api_keys").selectAll().where("ownerId", "=", p("ownerId")).where("trustId", "is", null),
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
}>("apiKeys.replaceValue").write(({ db, p, params }) =>
  db
    .updateTable("api_keys")
    .set((eb) => ({
      ...params("hash", "suffix", "previousHash", "previousExpiresAt", "previousResponsibleId", "responsibleId"),
      revision: eb("revision", "+", 1),
    }))
    .where("ownerId", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

/** Makes another user responsible for a key, and ends its suspension. */
export const adoptKey = prepare<{ ownerId: string; id: string; responsibleId: string }>("apiKeys.adopt").write(
  ({ db, p }) =>
    db
      .updateTable("api_keys")
      .set((eb) => ({
        responsibleId: p("responsibleId"),
        suspendedAt: null,
        revision: eb("revision", "+", 1),
      }))
      .where("ownerId", "=", p("ownerId"))
      .where("id", "=", p("id")),
);

/** An account and its membership in a team; locks the account until the transaction ends. */
export const findResponsible = prepare<{ teamId: string; userId: string }>("apiKeys.findResponsible").one(
  ({ db, p, forShareOf }) =>
    db
      .selectFrom("users as user")
      .leftJoin("memberships as m", (join) => join.onRef("m.userId", "=", "user.id").on("m.teamId", "=", p("teamId")))
      .select(["user.isAdmin", "user.suspendedAt", "m.state", "m.role"])
      .where("user.id", "=", p("userId"))
      .modifyEnd(forShareOf("user")),
);

/** What is too much for a key: the roles, and the permissions of them; JSON arrays. */
export type Excess = { readonly roles: string; readonly missing: string };

/** The account alone; locks it likewise. */
export const findResponsibleAccount = prepare<{ userId: string }>("apiKeys.findResponsibleAccount").one(
  ({ db, p, forShare }) =>
    db.selectFrom("users").select(["isAdmin", "suspendedAt"]).where("id", "=", p("userId")).modifyEnd(forShare),
);

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
      .where("responsibleId", "=", p("userId"))
      .where("teamId", "=", p("teamId"))
      .where("suspendedAt", "is", null)
      .where(exceeds(build))
      .orderBy("position")
      .limit(p("limit")),
);

export const suspendKeysOf = prepare<KeysOfPerson & { now: number }>("apiKeys.suspend").run(({ db, p, ...build }) =>
  db
    .updateTable("api_keys")
    .set((eb) => ({ suspendedAt: p("now"), revision: eb("revision", "+", 1) }))
    .where("responsibleId", "=", p("userId"))
    .where("teamId", "=", p("teamId"))
    .where("suspendedAt", "is", null)
    .where(exceeds(build)),
);

/** Ends the replaced values of a team's keys that may do too much, no matter who is responsible for the keys now. */
export const endPreviousValues = prepare<Excess & { teamId: string }>("apiKeys.endPreviousValues").write(
  ({ db, p, ...build }) =>
    db
      .updateTable("api_keys")
      .set((eb) => ({
        previousHash: null,
        previousExpiresAt: null,
        previousResponsibleId: null,
        revision: eb("revision", "+", 1),
      }))
      .where("teamId", "=", p("teamId"))
      .where("previousHash", "is not", null)
      .where(exceeds(build)),
);

/**
 * Teams in which a user may know the value of a working key: the user is or was responsible for the key, or is a member and may
 * know a replaced value; and those whose trust rules the user is responsible for.
 */
export const listTeamsOfKeysOf = prepare<{ userId: string }>("apiKeys.listTeamsOfResponsible").many(({ db, p }) =>
  db
    .selectFrom("api_keys")
    .select((eb) => eb.fn.coalesce("teamId", "ownerId").as("teamId"))
    .where("responsibleId", "=", p("userId"))
    .where("suspendedAt", "is", null)
    .union(
      db
        .selectFrom("api_keys")
        .select((eb) => eb.fn.coalesce("teamId", "ownerId").as("teamId"))
        .where("previousResponsibleId", "=", p("userId")),
    )
    .union(
      db
        .selectFrom("identity_trusts")
        .select((eb) => eb.fn.coalesce("teamId", "ownerId").as("teamId"))
        .where("responsibleId", "=", p("userId"))
        .where("suspendedAt", "is", null),
    )
    .union(
      db
        .selectFrom("memberships as m")
        .innerJoin("api_keys as key", "key.teamId", "m.teamId")
        .select("m.teamId")
        .where("m.userId", "=", p("userId"))
        .where("m.state", "=", "member")
        .where("key.previousHash", "is not", null),
    ),
);

export const deleteKey = prepare<{ ownerId: string; id: string }>("apiKeys.delete").write(({ db, p }) =>
  db.deleteFrom("api_keys").where("ownerId", "=", p("ownerId")).where("id", "=", p("id")),
);

/** Notes the last use of many keys; `ids` is a JSON array. */
export const touchKeys = prepare<{ ids: string; activeAt: number }>("apiKeys.touch").write(({ db, p, elements }) =>
  db
    .updateTable("api_keys")
    .set({ activeAt: p("activeAt") })
    .where("id", "in", elements("ids"))
    .where("activeAt", "<", p("activeAt")),
);
