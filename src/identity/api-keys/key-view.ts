// API keys in responses and events.
import type { Static } from "typebox";
import type { Call } from "../../platform/kernel/contract.ts";
import { endAhead } from "../../platform/kernel/expiry.ts";
import { describeLimits } from "../../platform/kernel/limit-words.ts";
import { readLimits, shownLimits } from "../../platform/kernel/limits.ts";
import { readNetworks } from "../../platform/kernel/network/allowed-networks.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { KeyRow } from "./store.ts";
import type { ApiKey } from "./contract.ts";

/** The columns that say what a key may do. */
export type KeyAbilities = Pick<KeyRow, "role" | "permissions" | "limits" | "allowedCidrs" | "expiresAt">;

export function describeKey(row: KeyAbilities): string {
  return describeLimits({
    role: row.role as TeamRole,
    limits: readLimits(row),
    allowedCidrs: readNetworks(row.allowedCidrs) ?? [],
    expiresAt: row.expiresAt,
  });
}

export function publicKey(row: KeyRow, call: Pick<Call, "now">): Static<typeof ApiKey> {
  const limits = readLimits(row);
  return {
    id: row.id,
    name: row.name,
    ownerId: row.ownerId,
    role: row.role as TeamRole,
    ...shownLimits(limits),
    allows: describeKey(row),
    prefix: row.prefix,
    suffix: row.suffix,
    allowedCidrs: readNetworks(row.allowedCidrs) ?? [],
    expiresAt: row.expiresAt,
    activeAt: row.activeAt,
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    previousExpiresAt: endAhead(row.previousExpiresAt, call),
    responsibleId: row.userId ?? row.responsibleId,
    suspendedAt: row.suspendedAt,
  };
}

/** The public payload of a key that was created or rotated. */
export function createdPayload({ id, name, teamId, prefix, suffix, expiresAt }: KeyRow) {
  return {
    tokenId: id,
    tokenName: name,
    scope: teamId === null ? "user" : "team",
    origin: "manual",
    tokenPrefix: prefix,
    tokenSuffix: suffix,
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(teamId === null ? {} : { teamId }),
  };
}
