// Acts for a user without a credential of theirs: for the command line, which the owner of the database may use.
import type { Caller } from "../../kernel/caller.ts";
import { ALL_PERMISSIONS } from "../../kernel/roles.ts";
import type { Tx } from "../../kernel/tx.ts";
import { findUser, findUserByEmail, findUserByUsername } from "./store.ts";

/**
 * The user with this id, username or e-mail address, as a caller; undefined when there is none. The id comes first:
 * people choose the others, and may choose somebody's id.
 */
export async function findCallerByName(tx: Tx, name: string): Promise<Caller | undefined> {
  const key = name.toLowerCase();
  const row =
    (await findUser(tx, { id: name })) ??
    (await findUserByUsername(tx, { usernameKey: key })) ??
    (await findUserByEmail(tx, { emailKey: key }));
  if (!row) return undefined;
  return {
    kind: "user",
    principalId: row.id,
    account: {
      id: row.id,
      email: row.email,
      username: row.username,
      name: row.name,
      avatar: row.avatar,
      defaultTeamId: row.default_team_id,
      isAdmin: row.is_admin === 1,
      createdAt: row.created_at,
      revision: row.revision,
    },
    credentialId: null,
    keyName: null,
    teamId: null,
    ceiling: ALL_PERMISSIONS,
    activeAt: 0,
    expiresAt: null,
  };
}
