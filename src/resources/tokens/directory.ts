// The caller that a credential authenticates: the one read that every request begins with.
import type { Caller, Directory } from "../../kernel/caller.ts";
import { ALL_PERMISSIONS } from "../../kernel/roles.ts";
import { afterRead } from "../../kernel/tx.ts";
import { findCallerOfKey } from "../api-keys/directory.ts";
import { findCallerOfSession } from "../sessions/directory.ts";
import { findTokenWithUser } from "./store.ts";

type TokenRow = Awaited<ReturnType<typeof findTokenWithUser>>;

function callerOfToken(row: TokenRow): Caller | undefined {
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
    provedAt: null,
  };
}

export const findCaller: Directory["findCaller"] = (tx, { kind, hash }, now, ip) => {
  if (kind === "token") return afterRead(findTokenWithUser(tx, { hash, now }), callerOfToken);
  return kind === "key" ? findCallerOfKey(tx, hash, now, ip) : findCallerOfSession(tx, hash, now);
};
