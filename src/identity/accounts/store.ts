// Statements on accounts.
import { sql } from "kysely";
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";

export const insertUser = prepare<{ now: number; position: number }>("users.insert").insert(
  "users",
  ({ p, nextPosition }) => ({
    avatar: null,
    defaultTeamId: null,
    suspendedAt: null,
    position: nextPosition("users"),
    createdAt: p("now"),
    updatedAt: p("now"),
    revision: 1,
  }),
);

/** The columns of accounts that are not being removed. */
function selectUsers<P>({ db, isNotRemoved, present }: Build<P>) {
  return db
    .selectFrom("users")
    .select(({ ref }) => [
      "id",
      "email",
      "emailKey",
      "emailConfirmedAt",
      "username",
      "usernameKey",
      "name",
      "avatar",
      present(ref("users.defaultTeamId")).as("defaultTeamId"),
      "isAdmin",
      "suspendedAt",
      "position",
      "createdAt",
      "updatedAt",
      "revision",
    ])
    .where(({ ref }) => isNotRemoved(ref("users.id")));
}

export const findUser = prepare<{ id: string }>("users.find").one((build) =>
  selectUsers(build).where("id", "=", build.p("id")),
);
export type UserRow = NonNullable<Awaited<ReturnType<typeof findUser>>>;

export const findUserByEmail = prepare<{ emailKey: string }>("users.findByEmail").one((build) =>
  selectUsers(build).where("emailKey", "=", build.p("emailKey")),
);

export const findUserByUsername = prepare<{ usernameKey: string }>("users.findByUsername").one((build) =>
  selectUsers(build).where("usernameKey", "=", build.p("usernameKey")),
);

/** Addresses in the order of ids, for a scan of all accounts. */
export const listAddresses = prepare<{ after: string; limit: number }>("users.listAddresses").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("users")
      .select(["id", "username", "email", "emailKey"])
      .where(({ ref }) => isNotRemoved(ref("users.id")))
      .where("id", ">", p("after"))
      .orderBy("id")
      .limit(p("limit")),
);

export const findAnyUser = prepare("users.findAny").one(({ db }) => db.selectFrom("users").select("id").limit(1));

/** Locks the account until the transaction ends: no row that refers to it can be added, and earlier ones are visible. */
export const lockUser = prepare<{ id: string }>("users.lock").one(({ db, p, forUpdate }) =>
  db.selectFrom("users").select("id").where("id", "=", p("id")).modifyEnd(forUpdate),
);

export const updateUser = prepare<{
  id: string;
  email: string;
  emailKey: string;
  emailConfirmedAt: number | null;
  username: string;
  usernameKey: string;
  name: string | null;
  avatar: string | null;
  isAdmin: number;
  suspendedAt: number | null;
  now: number;
}>("users.update").write(({ db, p, params }) =>
  db
    .updateTable("users")
    .set((eb) => ({
      ...params(
        "email",
        "emailKey",
        "emailConfirmedAt",
        "username",
        "usernameKey",
        "name",
        "avatar",
        "isAdmin",
        "suspendedAt",
      ),
      updatedAt: p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("id", "=", p("id")),
);

export const updateEmailKey = prepare<{ id: string; emailKey: string }>("users.updateEmailKey").write(({ db, p }) =>
  db
    .updateTable("users")
    .set({ emailKey: p("emailKey") })
    .where("id", "=", p("id")),
);

/** Apart from the other columns, because leaving a team clears it without the account's lock. */
export const updateDefaultTeam = prepare<{ id: string; teamId: string | null }>("users.updateDefaultTeam").write(
  ({ db, p }) =>
    db
      .updateTable("users")
      .set({ defaultTeamId: p("teamId") })
      .where("id", "=", p("id")),
);

export const findOtherActiveAdministrator = prepare<{ id: string }>("users.findOtherAdministrator").one(({ db, p }) =>
  db
    .selectFrom("users")
    .select("id")
    .where("isAdmin", "=", 1)
    .where("suspendedAt", "is", null)
    .where("id", "!=", p("id"))
    .limit(1),
);

export const findFirstAdministrator = prepare("users.findFirstAdministrator").one(({ db, isNotRemoved }) =>
  db
    .selectFrom("users")
    .select(["id", "username"])
    .where("isAdmin", "=", 1)
    .where("suspendedAt", "is", null)
    .where(({ ref }) => isNotRemoved(ref("users.id")))
    .orderBy("createdAt")
    .limit(1),
);

const listAll = prepare("users.list").page(selectUsers);

/** `ids` is a JSON array. `position + 0`: for the bare column, SQLite would scan the whole list. */
const listChosen = (order: "asc" | "desc") =>
  prepare<{ ids: string; after: number; before: number; limit: number }>(`users.listChosen-${order}`).many((build) =>
    selectUsers(build)
      .where("id", "in", build.elements("ids"))
      .where(sql<boolean>`position + 0 > ${build.p("after")}`)
      .where(sql<boolean>`position + 0 < ${build.p("before")}`)
      .orderBy(sql`position + 0`, order)
      .limit(build.p("limit")),
  );
const CHOSEN = { asc: listChosen("asc"), desc: listChosen("desc") };

/** A page of all accounts, with one row more than its limit. */
export async function listUsers(tx: Tx, bounds: PageBounds): Promise<UserRow[]> {
  return await listAll(tx, {}, bounds);
}

/** The same of some accounts. */
export async function listUsersOf(tx: Tx, ids: readonly string[], bounds: PageBounds): Promise<UserRow[]> {
  const { after, before, limit, isForward } = bounds;
  return await CHOSEN[isForward ? "asc" : "desc"](tx, { ids: JSON.stringify(ids), after, before, limit: limit + 1 });
}

/** Whether the user is a confirmed member of a team that is not being deleted. */
export const findMembership = prepare<{ userId: string; teamId: string }>("users.findMembership").one(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("memberships")
      .select("teamId")
      .where("teamId", "=", p("teamId"))
      .where("userId", "=", p("userId"))
      .where("state", "=", "member")
      .where(({ ref }) => isNotRemoved(ref("memberships.teamId"))),
);
