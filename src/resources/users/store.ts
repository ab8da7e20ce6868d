// Statements on accounts.
import { prepare } from "../../store/prepared.ts";

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
