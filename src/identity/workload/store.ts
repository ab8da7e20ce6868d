// Statements on trust rules, and on the tokens and keys that were exchanged by them.
import { prepare } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

export type TrustRuleRow = Tables["identity_trusts"];

type Key = { ownerId: string; id: string };

/** The values of a rule that a change replaces. */
type Values = {
  name: string;
  issuer: string;
  audience: string;
  claims: string;
  role: string;
  permissions: string;
  limits: string | null;
  allowedCidrs: string | null;
  isSingleUse: number;
  responsibleId: string | null;
  suspendedAt: number | null;
  now: number;
};

/**
 * The rules that a request to exchange means: one by its id, or those of a team (by id or slug) or an account (by id). The caller
 * has no credential yet, so no owner is known.
 */
export const listTargetTrustRules = prepare<{ target: string }>("identityTrusts.listOfTarget").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("identity_trusts as trust")
      .leftJoin("users as user", "user.id", "trust.userId")
      .selectAll("trust")
      // Not with `or`: PostgreSQL would read the rules of everybody.
      .where("trust.id", "in", (eb) =>
        eb
          .selectFrom("identity_trusts")
          .select("id")
          .where("id", "=", p("target"))
          .union(eb.selectFrom("identity_trusts").select("id").where("ownerId", "=", p("target")))
          .union(
            eb
              .selectFrom("teams as team")
              .innerJoin("identity_trusts as own", "own.ownerId", "team.id")
              .select("own.id")
              .where("team.slug", "=", p("target")),
          ),
      )
      .where("user.suspendedAt", "is", null)
      .where(({ ref }) => isNotRemoved(ref("trust.ownerId")))
      .orderBy("trust.position"),
);

/** A rule that may issue keys; undefined also where its account is suspended, or its owner is being removed. */
export const findWorkingTrustRule = prepare<Key>("identityTrusts.findWorking").one(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("identity_trusts as trust")
    .leftJoin("users as user", "user.id", "trust.userId")
    .selectAll("trust")
    .where("trust.ownerId", "=", p("ownerId"))
    .where("trust.id", "=", p("id"))
    .where("trust.suspendedAt", "is", null)
    .where("user.suspendedAt", "is", null)
    .where(({ ref }) => isNotRemoved(ref("trust.ownerId"))),
);

export const findTrustRule = prepare<Key>("identityTrusts.find").one(({ db, p }) =>
  db.selectFrom("identity_trusts").selectAll().where("ownerId", "=", p("ownerId")).where("id", "=", p("id")),
);

export const listTrustRules = prepare<{ ownerId: string }>("identityTrusts.list").page(({ db, p }) =>
  db.selectFrom("identity_trusts").selectAll().where("ownerId", "=", p("ownerId")),
);

export const listAllTrustRules = prepare<{ ownerId: string }>("identityTrusts.listAll").many(({ db, p }) =>
  db.selectFrom("identity_trusts").selectAll().where("ownerId", "=", p("ownerId")).orderBy("position"),
);

/** The columns that a change of a rule sets. */
const CHOSEN = [
  "name",
  "issuer",
  "audience",
  "claims",
  "role",
  "permissions",
  "limits",
  "allowedCidrs",
  "isSingleUse",
  "responsibleId",
] as const;

export const insertTrustRule = prepare<{ now: number; position: number }>("identityTrusts.insert").insert(
  "identity_trusts",
  ({ p, nextPosition }) => ({
    suspendedAt: null,
    refusedAt: null,
    activeAt: null,
    createdAt: p("now"),
    updatedAt: p("now"),
    position: nextPosition("identity_trusts", { column: "ownerId", param: "ownerId" }),
    revision: 1,
  }),
);

export const replaceTrustRule = prepare<Key & Values>("identityTrusts.replace").write(({ db, p, params }) =>
  db
    .updateTable("identity_trusts")
    .set((eb) => ({
      ...params(...CHOSEN, "suspendedAt"),
      updatedAt: p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("ownerId", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

export const deleteTrustRule = prepare<Key>("identityTrusts.delete").write(({ db, p }) =>
  db.deleteFrom("identity_trusts").where("ownerId", "=", p("ownerId")).where("id", "=", p("id")),
);

/** Notes that a refusal is recorded now; changes nothing where one was recorded since `before`. */
export const recordRefusal = prepare<Key & { now: number; before: number }>("identityTrusts.recordRefusal").run(
  ({ db, p }) =>
    db
      .updateTable("identity_trusts")
      .set({ refusedAt: p("now") })
      .where("ownerId", "=", p("ownerId"))
      .where("id", "=", p("id"))
      .where((eb) => eb.or([eb("refusedAt", "is", null), eb("refusedAt", "<=", p("before"))])),
);

/** Notes that a rule exchanges a token now; changes nothing where that was noted since `before`. */
export const touchTrustRule = prepare<Key & { now: number; before: number }>("identityTrusts.touch").write(
  ({ db, p }) =>
    db
      .updateTable("identity_trusts")
      .set({ activeAt: p("now") })
      .where("ownerId", "=", p("ownerId"))
      .where("id", "=", p("id"))
      .where((eb) => eb.or([eb("activeAt", "is", null), eb("activeAt", "<=", p("before"))])),
);

type OfPerson = { teamId: string; userId: string; missing: string };

/** The working rules of a team that a user is responsible for and that give one of the permissions `missing`, a JSON array. */
export const listTrustRulesBeyond = prepare<OfPerson>("identityTrusts.listBeyond").many(({ db, p, hasElement }) =>
  db
    .selectFrom("identity_trusts")
    .select(["id", "name"])
    .where("responsibleId", "=", p("userId"))
    .where("teamId", "=", p("teamId"))
    .where("suspendedAt", "is", null)
    .where(({ ref }) => hasElement(ref("identity_trusts.permissions"), "missing"))
    .orderBy("position"),
);

export const suspendTrustRulesBeyond = prepare<OfPerson & { now: number }>("identityTrusts.suspendBeyond").write(
  ({ db, p, hasElement }) =>
    db
      .updateTable("identity_trusts")
      .set((eb) => ({ suspendedAt: p("now"), revision: eb("revision", "+", 1) }))
      .where("responsibleId", "=", p("userId"))
      .where("teamId", "=", p("teamId"))
      .where("suspendedAt", "is", null)
      .where(({ ref }) => hasElement(ref("identity_trusts.permissions"), "missing")),
);

type Token = { ownerId: string; hash: string };

export const findToken = prepare<Token>("identityTokens.find").one(({ db, p }) =>
  db.selectFrom("identity_tokens").select("uses").where("ownerId", "=", p("ownerId")).where("hash", "=", p("hash")),
);

export const countToken = prepare<Token & { expiresAt: number }>("identityTokens.count").write(({ db, p }) =>
  db
    .insertInto("identity_tokens")
    .values({ ownerId: p("ownerId"), hash: p("hash"), uses: 1, expiresAt: p("expiresAt") })
    .onConflict((conflict) =>
      conflict.columns(["ownerId", "hash"]).doUpdateSet((eb) => ({ uses: eb("identity_tokens.uses", "+", 1) })),
    ),
);

export const countIssuedKeys = prepare<{ ownerId: string; trustId: string; now: number }>(
  "identityTrusts.countKeys",
).one(({ db, p }) =>
  db
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("trustId", "=", p("trustId"))
    .where("ownerId", "=", p("ownerId"))
    .where("expiresAt", ">", p("now")),
);

/** The keys of a rule that still work. */
export const listIssuedKeys = prepare<{ ownerId: string; trustId: string; now: number }>(
  "identityTrusts.listKeys",
).page(({ db, p }) =>
  db
    .selectFrom("api_keys")
    .selectAll()
    .where("ownerId", "=", p("ownerId"))
    .where("trustId", "=", p("trustId"))
    .where("expiresAt", ">", p("now"))
    .where("suspendedAt", "is", null),
);

export const deleteIssuedKeys = prepare<{ ownerId: string; trustId: string }>("identityTrusts.deleteKeys").write(
  ({ db, p }) => db.deleteFrom("api_keys").where("trustId", "=", p("trustId")).where("ownerId", "=", p("ownerId")),
);

type Prune = { now: number; limit: number };

export const deleteExpiredKeys = prepare<Prune>("identityTrusts.deleteExpiredKeys").run(({ db, p }) =>
  db
    .deleteFrom("api_keys")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("api_keys")
        .select("id")
        .where("trustId", "is not", null)
        .where("expiresAt", "<=", p("now"))
        .limit(p("limit")),
    ),
);

export const deleteExpiredTokens = prepare<Prune>("identityTokens.deleteExpired").run(({ db, p }) =>
  db
    .deleteFrom("identity_tokens")
    .where("expiresAt", "in", (eb) =>
      eb
        .selectFrom("identity_tokens")
        .select("expiresAt")
        .where("expiresAt", "<=", p("now"))
        .orderBy("expiresAt")
        .limit(p("limit")),
    ),
);
