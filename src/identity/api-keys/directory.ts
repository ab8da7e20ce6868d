// The caller that an API key authenticates: itself in its team, or its user within its role and permissions. Also when keys were last used.
import type { Account, Caller } from "../../platform/kernel/caller.ts";
import { readLimits } from "../../platform/kernel/limits.ts";
import { isAllowedAddress } from "../../platform/kernel/network/allowed-networks.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { maskOfKey } from "./key-permissions.ts";
import { findKeyWithUser, touchKeys } from "./store.ts";

type FoundKey = NonNullable<Awaited<ReturnType<typeof findKeyWithUser>>>;

function accountOf(key: FoundKey): Account | null {
  if (key.userId === null) return null;
  const { userId, email, username, name, avatar, defaultTeamId, createdAt, revision } = key;
  return {
    id: userId,
    // The join found the user, so its required columns are there.
    email: email as string,
    username: username as string,
    name,
    avatar,
    defaultTeamId,
    // Keys never administer the instance, no matter who created them: they are stored in files and shared.
    isAdmin: false,
    createdAt: createdAt as number,
    revision: revision as number,
  };
}

/** When the presented value expires: a replaced value at the end of the overlap at the latest. */
function endOf({ hash, expiresAt, previousExpiresAt }: FoundKey, shownHash: string): number | null {
  if (hash === shownHash) return expiresAt;
  return Math.min(expiresAt ?? Infinity, previousExpiresAt as number);
}

export async function findCallerOfKey(tx: Tx, hash: string, now: number, ip: string): Promise<Caller | undefined> {
  const key = await findKeyWithUser(tx, { hash, now });
  if (!key || (key.allowedCidrs !== null && !isAllowedAddress(key.allowedCidrs, ip))) return undefined;
  return {
    kind: "key",
    principalId: key.keyId,
    account: accountOf(key),
    credentialId: key.keyId,
    keyName: key.keyName,
    teamId: key.teamId,
    responsibleId: key.responsibleId,
    ceiling: maskOfKey(key),
    limits: readLimits(key),
    allowedCidrs: key.allowedCidrs,
    activeAt: key.activeAt,
    expiresAt: endOf(key, hash),
    provedAt: null,
  };
}

/** Writes when keys were last used. */
export async function recordKeyUses(tx: Tx, keyIds: readonly string[], activeAt: number): Promise<void> {
  await touchKeys(tx, { ids: JSON.stringify(keyIds), activeAt });
}
