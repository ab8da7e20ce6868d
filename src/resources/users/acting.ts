// Acting for a user without a credential of theirs: the command line, which whoever owns the database may use.
import type { Caller } from "../../kernel/caller.ts";
import { ALL_PERMISSIONS } from "../../kernel/roles.ts";
import type { Tx } from "../../kernel/tx.ts";
import { findUser, findUserByEmail, findUserByUsername } from "./store.ts";

/** The user with this username, e-mail address or id, as a caller; undefined when there is none. */
export async function findCallerByName(tx: Tx, name: string): Promise<Caller | undefined> {
  const key = name.toLowerCase();
  const row =
    (await findUserByUsername(tx, { usernameKey: key })) ??
    (await findUserByEmail(tx, { emailKey: key })) ??
    (await findUser(tx, { id: name }));
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
