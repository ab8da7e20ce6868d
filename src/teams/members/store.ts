// Statements on memberships, one row per team and account that is a member or has asked to join, and on declined requests to join.
import { sql } from "kysely";
import type { Tx } from "../../platform/kernel/tx.ts";
import { LostRaceError } from "../../platform/kernel/tx.ts";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";
import { MEMBERSHIP_COLUMNS, PERSON_COLUMNS, inTeam } from "./row.ts";
import type { Membership, PersonInTeam } from "./row.ts";

function selectPerson<P extends { teamId: string }>({ db, p, isNotRemoved }: Build<P>) {
  return db
    .selectFrom("users as user")
    .leftJoin("memberships as m", (join) => join.onRef("m.userId", "=", "user.id").on("m.teamId", "=", p("teamId")))
    .select([...PERSON_COLUMNS, ...MEMBERSHIP_COLUMNS])
    .where(({ ref }) => isNotRemoved(ref("user.id")));
}

const findById = prepare<{ teamId: string; userId: string }>("members.findById").one((build) =>
  selectPerson(build).where("user.id", "=", build.p("userId")),
);

const findByEmail = prepare<{ teamId: string; emailKey: string }>("members.findByEmail").one((build) =>
  selectPerson(build).where("user.emailKey", "=", build.p("emailKey")),
);

/** An account and its membership in a team. */
export async function findPerson(tx: Tx, teamId: string, userId: string): Promise<PersonInTeam | undefined> {
  return inTeam(await findById(tx, { teamId, userId }));
}

export async function findPersonByEmail(tx: Tx, teamId: string, emailKey: string): Promise<PersonInTeam | undefined> {
  return inTeam(await findByEmail(tx, { teamId, emailKey }));
}

/** Two teams that one account joins at once would get the same position in its list of teams. */
const lockAccount = prepare<{ userId: string }>("members.lockAccount").one(({ db, p, forUpdate }) =>
  db.selectFrom("users").select("id").where("id", "=", p("userId")).modifyEnd(forUpdate),
);

const findAccount = prepare<{ userId: string }>("members.findAccount").one(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("users")
    .select(["id", "name", "username", "email"])
    .where("id", "=", p("userId"))
    .where(({ ref }) => isNotRemoved(ref("users.id"))),
);

const insert = prepare<{ now: number; position: number }>("members.insert").insert(
  "memberships",
  ({ p, nextPosition, greatest }) => ({
    createdAt: p("now"),
    updatedAt: p("now"),
    // Members and invitations share one list.
    position: greatest(
      nextPosition("memberships", { column: "teamId", param: "teamId" }),
      nextPosition("invites", { column: "teamId", param: "teamId" }, "memberPosition"),
    ),
    userPosition: nextPosition("memberships", { column: "userId", param: "userId" }, "userPosition"),
  }),
);

/** Returns the account, whose row is locked. */
export async function insertMembership(tx: Tx, membership: Parameters<typeof insert>[1]) {
  const { userId } = membership;
  const locked = tx.engine === "sqlite" ? undefined : lockAccount(tx, { userId });
  const [account] = await Promise.all([findAccount(tx, { userId }), locked]);
  // While this waited for its row.
  if (!account) throw new LostRaceError("the account was deleted");
  await insert(tx, membership);
  return account;
}

/** Some of the user's memberships, in any state; `isTeamPresent` is 1 where the team was not deleted. */
export const listMembershipsOfUser = prepare<{ userId: string; limit: number }>("members.listOfUser").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("memberships")
      .select(({ ref }) => [
        "teamId",
        "state",
        "role",
        sql<number>`case when ${isNotRemoved(ref("memberships.teamId"))} then 1 else 0 end`.as("isTeamPresent"),
      ])
      .where("userId", "=", p("userId"))
      .orderBy("userPosition")
      .limit(p("limit")),
);

const lockTeams = prepare<{ userId: string }>("members.lockTeamsOf").one(({ db, p, isAmong, forUpdate }) =>
  db
    .selectFrom(
      db
        .selectFrom("owners")
        .select("id")
        .where(({ ref }) =>
          isAmong(ref("owners.id"), db.selectFrom("memberships").select("teamId").where("userId", "=", p("userId"))),
        )
        .orderBy("id")
        .modifyEnd(forUpdate)
        .as("team"),
    )
    .select(({ fn }) => fn.countAll<number>().as("count")),
);

/** Locks the teams of a user's memberships, in their order. Returns whether anything may have changed there meanwhile. */
export async function lockTeamsOf(tx: Tx, userId: string): Promise<boolean> {
  if (tx.engine === "sqlite") return false;
  await lockTeams(tx, { userId });
  return true;
}

/** Teams that would have no confirmed OWNER without this user; the first few. */
export const listTeamsWithoutOtherOwner = prepare<{ userId: string; limit: number }>(
  "members.listWithoutOtherOwner",
).many(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("memberships as m")
    .innerJoin("teams as team", "team.id", "m.teamId")
    .select(["team.id", "team.slug"])
    .where("m.userId", "=", p("userId"))
    .where(({ ref }) => isNotRemoved(ref("m.teamId")))
    // Literals, because the partial index is used only for its own condition.
    .where("m.state", "=", sql.lit("member"))
    .where("m.role", "=", sql.lit("OWNER"))
    // For each team on its own. Of `not exists` PostgreSQL makes a join, and for the plain state it takes the index above: without
    // recent statistics, either reads all memberships of all OWNERs for each team.
    .where(
      ({ selectFrom }) =>
        selectFrom("memberships as other")
          .innerJoin("users as owner", "owner.id", "other.userId")
          .select("other.userId")
          .whereRef("other.teamId", "=", "m.teamId")
          .where(({ fn, ref }) => fn.coalesce(ref("other.state"), sql.lit("none")), "=", "member")
          .where("other.role", "=", "OWNER")
          .where("other.userId", "!=", p("userId"))
          .where("owner.suspendedAt", "is", null)
          .limit(sql.lit(1)),
      "is",
      null,
    )
    .orderBy("m.userPosition")
    .limit(p("limit")),
);

const update = prepare<{
  teamId: string;
  userId: string;
  state: Tables["memberships"]["state"];
  role: string;
  joinedFrom: string;
  teamPermissions: string;
  projects: string;
  invitedBy: string | null;
  confirmedAt: number | null;
  now: number;
}>("members.update").write(({ db, p, params }) =>
  db
    .updateTable("memberships")
    .set((eb) => ({
      ...params("state", "role", "joinedFrom", "teamPermissions", "projects", "invitedBy", "confirmedAt"),
      updatedAt: p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("teamId", "=", p("teamId"))
    .where("userId", "=", p("userId")),
);

/** Updates the mutable columns of a membership. */
export async function updateMembership(
  tx: Tx,
  { teamId, userId, now }: { readonly teamId: string; readonly userId: string; readonly now: number },
  membership: Membership,
): Promise<void> {
  await update(tx, {
    ...membership,
    teamId,
    userId,
    state: membership.state as Tables["memberships"]["state"],
    joinedFrom: JSON.stringify(membership.joinedFrom),
    teamPermissions: JSON.stringify(membership.teamPermissions),
    projects: JSON.stringify(membership.projects),
    now,
  });
}

export const deleteMembership = prepare<{ teamId: string; userId: string }>("members.delete").write(({ db, p }) =>
  db.deleteFrom("memberships").where("teamId", "=", p("teamId")).where("userId", "=", p("userId")),
);

/** Confirmed owners who can act, other than one; the first few. */
export const listOtherOwners = prepare<{ teamId: string; userId: string; limit: number }>("members.listOwners").many(
  ({ db, p }) =>
    db
      .selectFrom("memberships as m")
      .innerJoin("users as user", "user.id", "m.userId")
      .select(["user.id", "user.email"])
      .where("m.teamId", "=", p("teamId"))
      .where("m.state", "=", "member")
      .where("m.role", "=", "OWNER")
      .where("m.userId", "<>", p("userId"))
      .where("user.suspendedAt", "is", null)
      .limit(p("limit")),
);

/** Open access requests of a team, counted up to a limit. */
export const listOpenRequests = prepare<{ teamId: string; limit: number }>("members.listOpenRequests").many(
  ({ db, p }) =>
    db
      .selectFrom("memberships")
      .select("userId")
      .where("teamId", "=", p("teamId"))
      // As text of the statement: by statistics few have it, which a parameter does not say.
      .where("state", "=", sql.lit("requested"))
      .limit(p("limit")),
);

/** Replaces the default team of an account that leaves it. */
export const replaceDefaultTeam = prepare<{
  userId: string;
  teamId: string;
  newTeamId: string | null;
  now: number;
}>("members.replaceDefaultTeam").write(({ db, p }) =>
  db
    .updateTable("users")
    .set((eb) => ({
      defaultTeamId: sql<string | null>`cast(${p("newTeamId")} as text)`,
      updatedAt: p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("id", "=", p("userId"))
    .where((eb) =>
      eb.or([eb("defaultTeamId", "=", p("teamId")), sql<boolean>`cast(${p("newTeamId")} as text) is not null`]),
    ),
);

export const findDecline = prepare<{ teamId: string; userId: string }>("declines.find").one(({ db, p }) =>
  db
    .selectFrom("declined_requests")
    .select("declinedAt")
    .where("teamId", "=", p("teamId"))
    .where("userId", "=", p("userId")),
);

export const upsertDecline = prepare<{ teamId: string; userId: string; now: number }>("declines.upsert").write(
  ({ db, p, excluded }) =>
    db
      .insertInto("declined_requests")
      .values({ teamId: p("teamId"), userId: p("userId"), declinedAt: p("now") })
      .onConflict((conflict) => conflict.columns(["teamId", "userId"]).doUpdateSet(excluded("declinedAt"))),
);
