// The handlers of accounts: the current user's own, and those of the instance for administrators.
import type { Account, Caller } from "../../platform/kernel/caller.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { fieldError, notFound } from "../../platform/kernel/errors.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import { requireUnbounded } from "../../platform/kernel/giving.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import { requireEmail } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../events/events/emit.ts";
import type { OwnerRemoval } from "../../platform/store/removals/remove.ts";
import { changeRightsOf, changeUser, refuseTakenUsername } from "./change.ts";
import type { EndAccess, RightsChange } from "./change.ts";
import type { usersContract } from "./contract.ts";
import { createAccount } from "./create.ts";
import { findUsers } from "./list.ts";
import { removeUser } from "./removal.ts";
import { findMembership, findUser } from "./store.ts";
import type { UserRow } from "./store.ts";

/** The account behind a call that only users may make. */
export function requireAccount(call: { readonly caller: Caller }): Account {
  const { account } = call.caller;
  if (!account) throw new Error("the HTTP layer authorised a caller without an account");
  return account;
}

function authUser(account: Omit<Account, "revision">, isLimited: boolean) {
  const { id, email, username, name, avatar, defaultTeamId, createdAt, isAdmin } = account;
  const user = { id, email, username, name, avatar, defaultTeamId, version: null };
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
    isAdmin: row.isAdmin === 1,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    suspendedAt: row.suspendedAt,
  };
}

/** Whether a change lets somebody into an account, or lets the account administer the instance. Links to recover it go to its address. */
function givesAccess({ email, admin, suspended }: RightsChange): boolean {
  return email !== undefined || admin === true || suspended === false;
}

/** An account by id, read under its lock, in the revision that the request asks for. */
async function getUserForChange(tx: Tx, call: { readonly ifMatch: string | null }, uid: string): Promise<UserRow> {
  const [, row] = await Promise.all([lockOwner(tx, uid), findUser(tx, { id: uid })]);
  if (!row) throw notFound("User");
  requireRevision(call, row.revision);
  return row;
}

/** Refuses a team that the account is no confirmed member of. Locks the team, so that the result holds until the commit. */
async function requireMembership(tx: Tx, userId: string, teamId: string): Promise<void> {
  await lockOwner(tx, teamId);
  if (await findMembership(tx, { userId, teamId })) return;
  throw fieldError("default_team_not_member", "body.defaultTeamId", "expected the id of a team that you belong to");
}

async function createUser(tx: Tx, call: Call<typeof usersContract.createUser>) {
  const { username, name = null, admin = false } = call.body;
  requireUnbounded(call.caller, "an account");
  const email = requireEmail(call.body.email);
  await refuseTakenUsername(tx, username);
  const id = await createAccount(tx, { email, username, name, isAdmin: admin, emailSource: "vouched" }, call.now);
  await emit(tx, call, {
    type: "user-created",
    ownerId: id,
    entityId: id,
    text: `created account ${username}`,
    payload: { username, email, uid: id },
    next: { username, email, name, isAdmin: admin },
  });
  const row = await findUser(tx, { id });
  return { user: publicUser(row as UserRow), revision: 1 };
}

export function createUsersService(removal: OwnerRemoval, endAccess: EndAccess): Implements<typeof usersContract> {
  return {
    getCurrentUser(_tx, call: Call) {
      const account = requireAccount(call);
      return {
        user: authUser(account, call.caller.teamId !== null || call.caller.limits !== null),
        revision: account.revision,
      };
    },

    async updateCurrentUser(tx, call) {
      const row = await getUserForChange(tx, call, requireAccount(call).id);
      const { defaultTeamId } = call.body;
      if (typeof defaultTeamId === "string") await requireMembership(tx, row.id, defaultTeamId);
      const user = await changeUser(tx, call, row, call.body);
      const own = authUser({ ...publicUser(user), defaultTeamId: user.defaultTeamId }, false);
      return { user: own, revision: user.revision };
    },

    async deleteCurrentUser(tx, call) {
      const row = await getUserForChange(tx, call, requireAccount(call).id);
      await removeUser(tx, removal, call, row, call.body?.reasons ?? []);
      return { id: row.id, email: row.email, message: "Account deleted" };
    },

    createUser,

    async listUsers(tx, call) {
      const bounds = paginationBounds(call.query);
      const { rows, isCut } = await findUsers(tx, call.query, bounds);
      const { items, page } = paginate(rows, bounds, isCut);
      return { users: items.map(publicUser), pagination: page, page };
    },

    async getUser(tx, call) {
      const row = await findUser(tx, { id: call.params.uid });
      if (!row) throw notFound("User");
      return { user: publicUser(row), revision: row.revision };
    },

    async updateUser(tx, call) {
      const row = await getUserForChange(tx, call, call.params.uid);
      const { email } = call.body;
      if (givesAccess(call.body)) requireUnbounded(call.caller, "an account");
      const change = { ...call.body, ...(email === undefined ? {} : { email: requireEmail(email) }) };
      const user = await changeRightsOf(tx, call, row, change, endAccess);
      return { user: publicUser(user), revision: user.revision };
    },

    async deleteUser(tx, call) {
      const row = await getUserForChange(tx, call, call.params.uid);
      await removeUser(tx, removal, call, row, []);
      return { id: row.id };
    },
  };
}
