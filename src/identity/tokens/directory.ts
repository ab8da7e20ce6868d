// The caller that a credential authenticates: the one read that every request begins with.
import type { Caller, Directory } from "../../platform/kernel/caller.ts";
import { readLimits } from "../../platform/kernel/limits.ts";
import { isAllowedAddress } from "../../platform/kernel/network/allowed-networks.ts";
import { ALL_PERMISSIONS, maskOf } from "../../platform/kernel/roles.ts";
import { afterRead } from "../../platform/kernel/tx.ts";
import { accountOf } from "../accounts/acting.ts";
import { findCallerOfKey } from "../api-keys/directory.ts";
import { findCallerOfSession } from "../sessions/directory.ts";
import { findTokenWithUser } from "./store.ts";

type TokenRow = Awaited<ReturnType<typeof findTokenWithUser>>;

function callerOfToken(row: TokenRow, ip: string): Caller | undefined {
  if (!row || (row.allowedCidrs !== null && !isAllowedAddress(row.allowedCidrs, ip))) return undefined;
  const limits = readLimits(row);
  return {
    kind: "user",
    principalId: row.id,
    account: accountOf(row),
    credentialId: row.tokenId,
    keyName: null,
    teamId: row.teamId,
    ceiling: limits?.permissions ? maskOf(limits.permissions) : ALL_PERMISSIONS,
    limits,
    allowedCidrs: row.allowedCidrs,
    activeAt: row.activeAt,
    expiresAt: row.expiresAt,
    provedAt: null,
  };
}

export const findCaller: Directory["findCaller"] = (tx, { kind, hash }, now, ip) => {
  if (kind === "token") {
    return afterRead(findTokenWithUser(tx, { hash, now }), (row) => callerOfToken(row, ip));
  }
  return kind === "key" ? findCallerOfKey(tx, hash, now, ip) : findCallerOfSession(tx, hash, now);
};
