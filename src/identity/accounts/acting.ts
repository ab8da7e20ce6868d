// A user as a caller without a credential: for the command line, which the owner of the database may use, and for signing in.
import type { Account, Caller } from "../../platform/kernel/caller.ts";
import { ALL_PERMISSIONS } from "../../platform/kernel/roles.ts";
import { loginKey } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { findUser, findUserByEmail, findUserByUsername } from "./store.ts";
import type { UserRow } from "./store.ts";

/** The account of a caller, from a row that has other columns, too. */
export function accountOf(row: Omit<Account, "isAdmin"> & { readonly isAdmin: number }): Account {
  const { id, email, username, name, avatar, defaultTeamId, isAdmin, createdAt, revision } = row;
  return { id, email, username, name, avatar, defaultTeamId, isAdmin: isAdmin === 1, createdAt, revision };
}

function callerOf(row: UserRow): Caller {
  return {
    kind: "user",
    principalId: row.id,
    account: accountOf(row),
    credentialId: null,
    keyName: null,
    teamId: null,
    ceiling: ALL_PERMISSIONS,
    limits: null,
    allowedCidrs: null,
    activeAt: 0,
    expiresAt: null,
    provedAt: null,
  };
}

/**
 * The user with this id, username or e-mail address, as a caller; undefined when there is none. The id comes first:
 * people choose the others, and may choose somebody's id.
 */
export async function findCallerByName(tx: Tx, name: string): Promise<Caller | undefined> {
  const key = loginKey(name);
  const row =
    (await findUser(tx, { id: name })) ??
    (await findUserByUsername(tx, { usernameKey: key })) ??
    (await findUserByEmail(tx, { emailKey: key }));
  return row && callerOf(row);
}

/** The user with this id as a caller, for a sign-in of that user. */
export async function findCallerById(
  tx: Tx,
  id: string,
): Promise<{ readonly caller: Caller; readonly isSuspended: boolean } | undefined> {
  const row = await findUser(tx, { id });
  return row && { caller: callerOf(row), isSuspended: row.suspendedAt !== null };
}
