// Statements on access tokens.
import { prepare } from "../../store/prepared.ts";

/** A token with its user: everything that authenticating a request needs, in one read. */
export const findTokenWithUser = prepare<{ hash: string; now: number }>("tokens.findWithUser").one(({ db, p }) =>
  db
    .selectFrom("access_tokens as token")
    .innerJoin("users as user", "user.id", "token.user_id")
    .select([
      "token.id as tokenId",
      "token.team_id as teamId",
      "token.active_at as activeAt",
      "token.expires_at as expiresAt",
      "user.id as id",
      "user.email as email",
      "user.username as username",
      "user.name as name",
      "user.avatar as avatar",
      "user.default_team_id as defaultTeamId",
      "user.is_admin as isAdmin",
      "user.created_at as createdAt",
      "user.revision as revision",
    ])
    .where("token.hash", "=", p("hash"))
    .where((eb) => eb.or([eb("token.expires_at", "is", null), eb("token.expires_at", ">", p("now"))]))
    .where("user.suspended_at", "is", null),
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
  now: number;
  position: number;
}>("tokens.insert").run(({ db, p, nextPosition }) =>
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
    active_at: p("now"),
    created_at: p("now"),
    position: nextPosition("access_tokens", { column: "user_id", param: "userId" }),
  }),
);

export const touchToken = prepare<{ id: string; activeAt: number }>("tokens.touch").run(({ db, p }) =>
  db
    .updateTable("access_tokens")
    .set({ active_at: p("activeAt") })
    .where("id", "=", p("id"))
    .where("active_at", "<", p("activeAt")),
);
