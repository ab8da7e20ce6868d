// Statements on access tokens.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";

/** A token with its user: everything that authenticating a request needs, in one read. */
export const findTokenWithUser = prepare<{ hash: string; now: number }>("tokens.findWithUser").one(
  ({ db, p, isNotRemoved, present }) =>
    db
      .selectFrom("access_tokens as token")
      .innerJoin("users as user", "user.id", "token.userId")
      .select(({ ref }) => [
        "token.id as tokenId",
        "token.teamId",
        "token.activeAt",
        "token.expiresAt",
        "token.permissions",
        "token.limits",
        "token.allowedCidrs",
        "user.id",
        "user.email",
        "user.username",
        "user.name",
        "user.avatar",
        "user.isAdmin",
        "user.createdAt",
        "user.revision",
        present(ref("user.defaultTeamId")).as("defaultTeamId"),
      ])
      .where("token.hash", "=", p("hash"))
      .where((eb) => eb.or([eb("token.expiresAt", "is", null), eb("token.expiresAt", ">", p("now"))]))
      .where("user.suspendedAt", "is", null)
      .where(({ ref }) => isNotRemoved(ref("token.teamId"))),
);

export const insertToken = prepare<{ now: number; position: number }>("tokens.insert").insert(
  "access_tokens",
  ({ p, nextPosition }) => ({
    activeAt: p("now"),
    createdAt: p("now"),
    position: nextPosition("access_tokens", { column: "userId", param: "userId" }),
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
    .where("userId", "=", p("userId"))
    .where((eb) => eb.or([eb(teamId, "is", null), eb("teamId", "=", teamId)]));
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
      .innerJoin("users as user", "user.id", "token.userId")
      .selectAll("token")
      .where("token.hash", "=", p("hash"))
      .where("token.clientId", "is not", null)
      .where((eb) => eb.or([eb("token.expiresAt", "is", null), eb("token.expiresAt", ">", p("now"))]))
      .where("user.suspendedAt", "is", null)
      .where(({ ref }) => isNotRemoved(ref("token.teamId"))),
);

/** The tokens of a grant: one, because a code is used once. */
export const listTokensOfGrant = prepare<{ grantHash: string }>("tokens.listOfGrant").many(({ db, p }) =>
  db.selectFrom("access_tokens").selectAll().where("grantHash", "=", p("grantHash")),
);

export const listTokens = prepare<Visibility>("tokens.list").page(visibleTokens);

/** Tokens that have not expired, up to a limit: two ranges of an index, however many have expired. */
export const listLiveTokens = prepare<{ userId: string; now: number; limit: number }>("tokens.listLive").many(
  ({ db, p }) =>
    db
      .selectFrom("access_tokens")
      .select("id")
      .where("userId", "=", p("userId"))
      .where("expiresAt", "is", null)
      .unionAll(
        db.selectFrom("access_tokens").select("id").where("userId", "=", p("userId")).where("expiresAt", ">", p("now")),
      )
      .limit(p("limit")),
);

export const deleteToken = prepare<{ userId: string; id: string }>("tokens.delete").run(({ db, p }) =>
  db.deleteFrom("access_tokens").where("userId", "=", p("userId")).where("id", "=", p("id")),
);

/** Notes the last use of many tokens; `ids` is a JSON array. */
export const touchTokens = prepare<{ ids: string; activeAt: number }>("tokens.touch").write(({ db, p, elements }) =>
  db
    .updateTable("access_tokens")
    .set({ activeAt: p("activeAt") })
    .where("id", "in", elements("ids"))
    .where("activeAt", "<", p("activeAt")),
);
