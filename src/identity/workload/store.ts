// Statements on trust rules, and on the tokens and keys that were exchanged by them.
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/prepared.ts";
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
      .leftJoin("users as user", "user.id", "trust.user_id")
      .selectAll("trust")
      // Not with `or`: PostgreSQL would read the rules of everybody.
      .where("trust.id", "in", (eb) =>
        eb
          .selectFrom("identity_trusts")
          .select("id")
          .where("id", "=", p("target"))
          .union(eb.selectFrom("identity_trusts").select("id").where("owner_id", "=", p("target")))
          .union(
            eb
              .selectFrom("teams as team")
              .innerJoin("identity_trusts as own", "own.owner_id", "team.id")
              .select("own.id")
              .where("team.slug", "=", p("target")),
          ),
      )
      .where("user.suspended_at", "is", null)
      .where(({ ref }) => isNotRemoved(ref("trust.owner_id")))
      .orderBy("trust.position"),
);

/** A rule that may issue keys; undefined also where its account is suspended, or its owner is being removed. */
export const findWorkingTrustRule = prepare<Key>("identityTrusts.findWorking").one(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("identity_trusts as trust")
    .leftJoin("users as user", "user.id", "trust.user_id")
    .selectAll("trust")
    .where("trust.owner_id", "=", p("ownerId"))
    .where("trust.id", "=", p("id"))
    .where("trust.suspended_at", "is", null)
    .where("user.suspended_at", "is", null)
    .where(({ ref }) => isNotRemoved(ref("trust.owner_id"))),
);

export const findTrustRule = prepare<Key>("identityTrusts.find").one(({ db, p }) =>
  db.selectFrom("identity_trusts").selectAll().where("owner_id", "=", p("ownerId")).where("id", "=", p("id")),
);

export const listTrustRules = prepare<{ ownerId: string }>("identityTrusts.list").page(({ db, p }) =>
  db.selectFrom("identity_trusts").selectAll().where("owner_id", "=", p("ownerId")),
);

export const listAllTrustRules = prepare<{ ownerId: string }>("identityTrusts.listAll").many(({ db, p }) =>
  db.selectFrom("identity_trusts").selectAll().where("owner_id", "=", p("ownerId")).orderBy("position"),
);

/** The columns that whoever makes or changes a rule chooses. */
function chosenColumns(p: Build<Omit<Values, "suspendedAt">>["p"]) {
  return {
    name: p("name"),
    issuer: p("issuer"),
    audience: p("audience"),
    claims: p("claims"),
    role: p("role"),
    permissions: p("permissions"),
    limits: p("limits"),
    allowed_cidrs: p("allowedCidrs"),
    is_single_use: p("isSingleUse"),
    responsible_id: p("responsibleId"),
  };
}

export const insertTrustRule = prepare<
  Omit<Values, "suspendedAt"> & {
    id: string;
    ownerId: string;
    teamId: string | null;
    userId: string | null;
    createdBy: string;
    position: number;
  }
>("identityTrusts.insert").write(({ db, p, nextPosition }) =>
  db.insertInto("identity_trusts").values({
    id: p("id"),
    owner_id: p("ownerId"),
    team_id: p("teamId"),
    user_id: p("userId"),
    ...chosenColumns(p),
    suspended_at: null,
    refused_at: null,
    active_at: null,
    created_by: p("createdBy"),
    created_at: p("now"),
    updated_at: p("now"),
    position: nextPosition("identity_trusts", { column: "owner_id", param: "ownerId" }),
    revision: 1,
  }),
);

export const replaceTrustRule = prepare<Key & Values>("identityTrusts.replace").write(({ db, p }) =>
  db
    .updateTable("identity_trusts")
    .set((eb) => ({
      ...chosenColumns(p),
      suspended_at: p("suspendedAt"),
      updated_at: p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("owner_id", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

export const deleteTrustRule = prepare<Key>("identityTrusts.delete").write(({ db, p }) =>
  db.deleteFrom("identity_trusts").where("owner_id", "=", p("ownerId")).where("id", "=", p("id")),
);

/** Notes that a refusal is recorded now; changes nothing where one was recorded since `before`. */
export const recordRefusal = prepare<Key & { now: number; before: number }>("identityTrusts.recordRefusal").run(
  ({ db, p }) =>
    db
      .updateTable("identity_trusts")
      .set({ refused_at: p("now") })
      .where("owner_id", "=", p("ownerId"))
      .where("id", "=", p("id"))
      .where((eb) => eb.or([eb("refused_at", "is", null), eb("refused_at", "<=", p("before"))])),
);

/** Notes that a rule exchanges a token now; changes nothing where that was noted since `before`. */
export const touchTrustRule = prepare<Key & { now: number; before: number }>("identityTrusts.touch").write(
  ({ db, p }) =>
    db
      .updateTable("identity_trusts")
      .set({ active_at: p("now") })
      .where("owner_id", "=", p("ownerId"))
      .where("id", "=", p("id"))
      .where((eb) => eb.or([eb("active_at", "is", null), eb("active_at", "<=", p("before"))])),
);

type OfPerson = { teamId: string; userId: string; missing: string };

/** The working rules of a team that a user is responsible for and that give one of the permissions `missing`, a JSON array. */
export const listTrustRulesBeyond = prepare<OfPerson>("identityTrusts.listBeyond").many(({ db, p, hasElement }) =>
  db
    .selectFrom("identity_trusts")
    .select(["id", "name"])
    .where("responsible_id", "=", p("userId"))
    .where("team_id", "=", p("teamId"))
    .where("suspended_at", "is", null)
    .where(({ ref }) => hasElement(ref("identity_trusts.permissions"), "missing"))
    .orderBy("position"),
);

export const suspendTrustRulesBeyond = prepare<OfPerson & { now: number }>("identityTrusts.suspendBeyond").write(
  ({ db, p, hasElement }) =>
    db
      .updateTable("identity_trusts")
      .set((eb) => ({ suspended_at: p("now"), revision: eb("revision", "+", 1) }))
      .where("responsible_id", "=", p("userId"))
      .where("team_id", "=", p("teamId"))
      .where("suspended_at", "is", null)
      .where(({ ref }) => hasElement(ref("identity_trusts.permissions"), "missing")),
);

type Token = { ownerId: string; hash: string };

export const findToken = prepare<Token>("identityTokens.find").one(({ db, p }) =>
  db.selectFrom("identity_tokens").select("uses").where("owner_id", "=", p("ownerId")).where("hash", "=", p("hash")),
);

export const countToken = prepare<Token & { expiresAt: number }>("identityTokens.count").write(({ db, p }) =>
  db
    .insertInto("identity_tokens")
    .values({ owner_id: p("ownerId"), hash: p("hash"), uses: 1, expires_at: p("expiresAt") })
    .onConflict((conflict) =>
      conflict.columns(["owner_id", "hash"]).doUpdateSet((eb) => ({ uses: eb("identity_tokens.uses", "+", 1) })),
    ),
);

export const countIssuedKeys = prepare<{ ownerId: string; trustId: string; now: number }>(
  "identityTrusts.countKeys",
).one(({ db, p }) =>
  db
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("trust_id", "=", p("trustId"))
    .where("owner_id", "=", p("ownerId"))
    .where("expires_at", ">", p("now")),
);

/** The keys of a rule that still work. */
export const listIssuedKeys = prepare<{ ownerId: string; trustId: string; now: number }>(
  "identityTrusts.listKeys",
).page(({ db, p }) =>
  db
    .selectFrom("api_keys")
    .selectAll()
    .where("owner_id", "=", p("ownerId"))
    .where("trust_id", "=", p("trustId"))
    .where("expires_at", ">", p("now"))
    .where("suspended_at", "is", null),
);

export const deleteIssuedKeys = prepare<{ ownerId: string; trustId: string }>("identityTrusts.deleteKeys").write(
  ({ db, p }) => db.deleteFrom("api_keys").where("trust_id", "=", p("trustId")).where("owner_id", "=", p("ownerId")),
);

type Prune = { now: number; limit: number };

export const deleteExpiredKeys = prepare<Prune>("identityTrusts.deleteExpiredKeys").run(({ db, p }) =>
  db
    .deleteFrom("api_keys")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("api_keys")
        .select("id")
        .where("trust_id", "is not", null)
        .where("expires_at", "<=", p("now"))
        .limit(p("limit")),
    ),
);

export const deleteExpiredTokens = prepare<Prune>("identityTokens.deleteExpired").run(({ db, p }) =>
  db
    .deleteFrom("identity_tokens")
    .where("expires_at", "in", (eb) =>
      eb
        .selectFrom("identity_tokens")
        .select("expires_at")
        .where("expires_at", "<=", p("now"))
        .orderBy("expires_at")
        .limit(p("limit")),
    ),
);
