// Statements on accounts.
import type { PageBounds } from "../../kernel/pagination.ts";
import type { Tx } from "../../kernel/tx.ts";
import { searchKey, prepare } from "../../store/prepared.ts";
import type { Build } from "../../store/prepared.ts";

export const insertUser = prepare<{
  id: string;
  email: string;
  emailKey: string;
  username: string;
  usernameKey: string;
  name: string | null;
  isAdmin: number;
  now: number;
  position: number;
}>("users.insert").run(({ db, p, nextPosition }) =>
  db.insertInto("users").values({
    id: p("id"),
    email: p("email"),
    email_key: p("emailKey"),
    username: p("username"),
    username_key: p("usernameKey"),
    name: p("name"),
    avatar: null,
    default_team_id: null,
    is_admin: p("isAdmin"),
    suspended_at: null,
    position: nextPosition("users"),
    created_at: p("now"),
    updated_at: p("now"),
    revision: 1,
  }),
);

export const findUser = prepare<{ id: string }>("users.find").one(({ db, p }) =>
  db.selectFrom("users").selectAll().where("id", "=", p("id")),
);
export type UserRow = NonNullable<Awaited<ReturnType<typeof findUser>>>;

export const findUserByEmail = prepare<{ emailKey: string }>("users.findByEmail").one(({ db, p }) =>
  db.selectFrom("users").selectAll().where("email_key", "=", p("emailKey")),
);

export const findUserByUsername = prepare<{ usernameKey: string }>("users.findByUsername").one(({ db, p }) =>
  db.selectFrom("users").selectAll().where("username_key", "=", p("usernameKey")),
);

export const findAnyUser = prepare("users.findAny").one(({ db }) => db.selectFrom("users").select("id").limit(1));

/** Keeps the account until the transaction ends: nothing can be added that refers to it, and what was is visible. */
export const lockUser = prepare<{ id: string }>("users.lock").one(({ db, p, forUpdate }) =>
  db.selectFrom("users").select("id").where("id", "=", p("id")).modifyEnd(forUpdate),
);

export const updateUser = prepare<{
  id: string;
  email: string;
  emailKey: string;
  username: string;
  usernameKey: string;
  name: string | null;
  avatar: string | null;
  isAdmin: number;
  suspendedAt: number | null;
  now: number;
}>("users.update").run(({ db, p }) =>
  db
    .updateTable("users")
    .set((eb) => ({
      email: p("email"),
      email_key: p("emailKey"),
      username: p("username"),
      username_key: p("usernameKey"),
      name: p("name"),
      avatar: p("avatar"),
      is_admin: p("isAdmin"),
      suspended_at: p("suspendedAt"),
      updated_at: p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("id", "=", p("id")),
);

/** Apart from the other columns, because leaving a team clears it without the account's lock. */
export const updateDefaultTeam = prepare<{ id: string; teamId: string | null }>("users.updateDefaultTeam").run(
  ({ db, p }) =>
    db
      .updateTable("users")
      .set({ default_team_id: p("teamId") })
      .where("id", "=", p("id")),
);

/** Reached through the memberships, because no account has a default team without one. */
export const clearDefaultTeam = prepare<{ teamId: string; now: number }>("users.clearDefaultTeam").run(({ db, p }) =>
  db
    .updateTable("users")
    .set((eb) => ({ default_team_id: null, updated_at: p("now"), revision: eb("revision", "+", 1) }))
    .where("id", "in", (eb) => eb.selectFrom("memberships").select("user_id").where("team_id", "=", p("teamId")))
    .where("default_team_id", "=", p("teamId")),
);

export const deleteUser = prepare<{ id: string }>("users.delete").run(({ db, p }) =>
  db.deleteFrom("users").where("id", "=", p("id")),
);

export const findOtherActiveAdministrator = prepare<{ id: string }>("users.findOtherAdministrator").one(({ db, p }) =>
  db
    .selectFrom("users")
    .select("id")
    .where("is_admin", "=", 1)
    .where("suspended_at", "is", null)
    .where("id", "!=", p("id"))
    .limit(1),
);

function usersMatching<P extends { search: string }>({ db, contains }: Build<P>) {
  return db
    .selectFrom("users")
    .selectAll()
    .where((eb) =>
      eb.or([
        contains(eb.ref("username"), "search"),
        contains(eb.ref("email"), "search"),
        contains(eb.ref("name"), "search"),
      ]),
    );
}

const listMatching = prepare<{ search: string }>("users.list").page(usersMatching);
const listByUsername = prepare<{ search: string; usernameKey: string }>("users.listByUsername").page((b) =>
  usersMatching(b).where("username_key", "=", b.p("usernameKey")),
);
const listByEmail = prepare<{ search: string; emailKey: string }>("users.listByEmail").page((b) =>
  usersMatching(b).where("email_key", "=", b.p("emailKey")),
);

export interface UserFilter {
  readonly search?: string;
  readonly username?: string;
  readonly email?: string;
}

/** A page of accounts with one row more than its limit. At most one account has a given username or address. */
export async function listUsers(tx: Tx, filter: UserFilter, bounds: PageBounds): Promise<UserRow[]> {
  const search = searchKey(filter.search ?? "");
  const usernameKey = filter.username?.toLowerCase();
  const emailKey = filter.email?.toLowerCase();
  if (usernameKey !== undefined) {
    const rows = await listByUsername(tx, { search, usernameKey }, bounds);
    return rows.filter((row) => emailKey === undefined || row.email_key === emailKey);
  }
  if (emailKey !== undefined) return await listByEmail(tx, { search, emailKey }, bounds);
  return await listMatching(tx, { search }, bounds);
}
