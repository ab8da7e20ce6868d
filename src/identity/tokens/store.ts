// Statements on access tokens.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/prepared.ts";

/** A token with its user: everything that authenticating a request needs, in one read. */
export const findTokenWithUser = prepare<{ hash: string; now: number }>("tokens.findWithUser").one(
  ({ db, p, isNotRemoved, present }) =>
    db
      .selectFrom("access_tokens as token")
      .innerJoin("users as user", "user.id", "token.user_id")
      .select(({ ref }) => [
        "token.id as tokenId",
        "token.team_id as teamId",
        "token.active_at as activeAt",
        "token.expires_at as expiresAt",
        "token.permissions as permissions",
        "token.limits as limits",
        "token.allowed_cidrs as allowedCidrs",
        "user.id as id",
        "user.email as email",
        "user.username as username",
        "user.name as name",
        "user.avatar as avatar",
        "user.is_admin as isAdmin",
        "user.created_at as createdAt",
        "user.revision as revision",
        present(ref("user.default_team_id")).as("defaultTeamId"),
      ])
      .where("token.hash", "=", p("hash"))
      .where((eb) => eb.or([eb("token.expires_at", "is", null), eb("token.expires_at", ">", p("now"))]))
      .where("user.suspended_at", "is", null)
      .where(({ ref }) => isNotRemoved(ref("token.team_id"))),
);

export const insertToken = prepare<{
  id: string;
  userId: string;
  hash: string;
  name: string;
  prefix: string;
  suffix: string;
  origin: string;
  teamId: string | null;
  expiresAt: number | null;
  clientId: string | null;
  grantHash: string | null;
  permissions: string | null;
  limits: string | null;
  allowedCidrs: string | null;
  now: number;
  position: number;
}>("tokens.insert").write(({ db, p, nextPosition }) =>
  db.insertInto("access_tokens").values({
    id: p("id"),
    user_id: p("userId"),
    hash: p("hash"),
    name: p("name"),
    prefix: p("prefix"),
    suffix: p("suffix"),
    origin: p("origin"),
    team_id: p("teamId"),
    expires_at: p("expiresAt"),
    client_id: p("clientId"),
    grant_hash: p("grantHash"),
    permissions: p("permissions"),
    limits: p("limits"),
    allowed_cidrs: p("allowedCidrs"),
    active_at: p("now"),
    created_at: p("now"),
    position: nextPosition("access_tokens", { column: "user_id", param: "userId" }),
  }),
);

interface Visibility extends Record<string, string | number | null> {
  userId: string;
  /** Only tokens limited to this team; null: all of the user's. */
  teamId: string | null;
}

function visibleTokens<P extends Visibility>({ db, p }: Build<P>) {
  const teamId = sql<string | null>`cast(${p("teamId")} as text)`;
  return db
    .selectFrom("access_tokens")
    .selectAll()
    .where("user_id", "=", p("userId"))
    .where((eb) => eb.or([eb(teamId, "is", null), eb("team_id", "=", teamId)]));
}

export const findToken = prepare<Visibility & { id: string }>("tokens.find").one((b) =>
  visibleTokens(b).where("id", "=", b.p("id")),
);
export type TokenRow = NonNullable<Awaited<ReturnType<typeof findToken>>>;

/** A token that was issued to a client and is valid, by the hash of its value. */
export const findClientToken = prepare<{ hash: string; now: number }>("tokens.findOfClient").one(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("access_tokens as token")
      .innerJoin("users as user", "user.id", "token.user_id")
      .selectAll("token")
      .where("token.hash", "=", p("hash"))
      .where("token.client_id", "is not", null)
      .where((eb) => eb.or([eb("token.expires_at", "is", null), eb("token.expires_at", ">", p("now"))]))
      .where("user.suspended_at", "is", null)
      .where(({ ref }) => isNotRemoved(ref("token.team_id"))),
);

/** The tokens of a grant: one, because a code is used once. */
export const listTokensOfGrant = prepare<{ grantHash: string }>("tokens.listOfGrant").many(({ db, p }) =>
  db.selectFrom("access_tokens").selectAll().where("grant_hash", "=", p("grantHash")),
);

export const listTokens = prepare<Visibility>("tokens.list").page(visibleTokens);

/** Tokens that have not expired, up to a limit: two ranges of an index, however many have expired. */
export const listLiveTokens = prepare<{ userId: string; now: number; limit: number }>("tokens.listLive").many(
  ({ db, p }) =>
    db
      .selectFrom("access_tokens")
      .select("id")
      .where("user_id", "=", p("userId"))
      .where("expires_at", "is", null)
      .unionAll(
        db
          .selectFrom("access_tokens")
          .select("id")
          .where("user_id", "=", p("userId"))
          .where("expires_at", ">", p("now")),
      )
      .limit(p("limit")),
);

export const deleteToken = prepare<{ userId: string; id: string }>("tokens.delete").run(({ db, p }) =>
  db.deleteFrom("access_tokens").where("user_id", "=", p("userId")).where("id", "=", p("id")),
);

/** Notes the last use of many tokens; `ids` is a JSON array. */
export const touchTokens = prepare<{ ids: string; activeAt: number }>("tokens.touch").write(({ db, p, elements }) =>
  db
    .updateTable("access_tokens")
    .set({ active_at: p("activeAt") })
    .where("id", "in", elements("ids"))
    .where("active_at", "<", p("activeAt")),
);
