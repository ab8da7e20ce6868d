// Accounts: the current user's own, and those of the instance for administrators.
import type { Account, Caller } from "../../kernel/caller.ts";
import type { Call, Implements } from "../../kernel/contract.ts";
import { ApiError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { positionAt } from "../../kernel/pagination.ts";
import { emit, startChain } from "../events/emit.ts";
import { findUser, findUserByEmail, findUserByUsername, insertUser } from "./store.ts";
import type { UserRow } from "./store.ts";
import type { usersContract } from "./contract.ts";

/** The account behind a call that only users may make. */
export function requireAccount(call: { readonly caller: Caller }): Account {
  const { account } = call.caller;
  if (!account) throw new Error("the edge admitted a caller without an account");
  return account;
}

function authUser(account: Account, isLimited: boolean) {
  const { id, email, username, name, avatar, defaultTeamId, createdAt, isAdmin } = account;
  const user = { id, email, username, name, avatar, defaultTeamId };
  if (isLimited) return { ...user, limited: true as const };
  return {
    ...user,
    createdAt,
    billing: null,
    softBlock: null,
    hasTrialAvailable: false,
    stagingPrefix: username,
    resourceConfig: {},
    isAdmin,
  };
}

function publicUser(row: UserRow) {
  return {
    id: row.id,
    email: row.email,
    username: row.username,
    name: row.name,
    avatar: row.avatar,
    isAdmin: row.is_admin === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    suspendedAt: row.suspended_at,
  };
}

export const usersService: Implements<typeof usersContract> = {
  getCurrentUser(_tx, call: Call) {
    const account = requireAccount(call);
    return { user: authUser(account, call.caller.teamId !== null), revision: account.revision };
  },

  async createUser(tx, call) {
    const { email, username, name = null, admin = false } = call.body;
    const emailKey = email.toLowerCase();
    const usernameKey = username.toLowerCase();
    if (await findUserByEmail(tx, { emailKey })) {
      throw new ApiError("email_taken", "body.email: another account has this address", { field: "body.email" });
    }
    if (await findUserByUsername(tx, { usernameKey })) {
      throw new ApiError("username_taken", "body.username: another account has this name", { field: "body.username" });
    }
    const id = newId("user");
    await startChain(tx, id, "user");
    await insertUser(tx, {
      id,
      email,
      emailKey,
      username,
      usernameKey,
      name,
      isAdmin: admin ? 1 : 0,
      now: call.now,
      position: positionAt(call.now),
    });
    await emit(tx, call, {
      type: "user-created",
      ownerId: id,
      entityId: id,
      text: `created account ${username}`,
      payload: { username, email, uid: id },
    });
    const row = await findUser(tx, { id });
    return { user: publicUser(row as UserRow), revision: 1 };
  },
};
