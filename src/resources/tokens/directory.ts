// The caller that a credential authenticates: the one read that every request begins with.
import type { Caller, Directory } from "../../kernel/caller.ts";
import { ALL_PERMISSIONS } from "../../kernel/roles.ts";
import type { Tx } from "../../kernel/tx.ts";
import { findCallerOfKey } from "../api-keys/directory.ts";
import { findTokenWithUser } from "./store.ts";

async function callerOfToken(tx: Tx, hash: string, now: number): Promise<Caller | undefined> {
  const row = await findTokenWithUser(tx, { hash, now });
  if (!row) return undefined;
  const { id, email, username, name, avatar, defaultTeamId, isAdmin, createdAt, revision } = row;
  return {
    kind: "user",
    principalId: id,
    account: { id, email, username, name, avatar, defaultTeamId, isAdmin: isAdmin === 1, createdAt, revision },
    credentialId: row.tokenId,
    keyName: null,
    teamId: row.teamId,
    ceiling: ALL_PERMISSIONS,
    activeAt: row.activeAt,
    expiresAt: row.expiresAt,
  };
}

export const findCaller: Directory["findCaller"] = (tx, { kind, hash }, now, ip) =>
  kind === "token" ? callerOfToken(tx, hash, now) : findCallerOfKey(tx, hash, now, ip);
