// API keys in responses and events.
import type { Call } from "../../platform/kernel/contract.ts";
import { endAhead } from "../../platform/kernel/expiry.ts";
import { describeLimits } from "../../platform/kernel/limit-words.ts";
import { readLimits, shownLimits } from "../../platform/kernel/limits.ts";
import { readNetworks } from "../../platform/kernel/network/allowed-networks.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { KeyRow } from "./store.ts";

/** The columns that say what a key may do. */
export type KeyAbilities = Pick<KeyRow, "role" | "permissions" | "limits" | "allowed_cidrs" | "expires_at">;

export function describeKey(row: KeyAbilities): string {
  return describeLimits({
    role: row.role as TeamRole,
    limits: readLimits(row),
    allowedCidrs: readNetworks(row.allowed_cidrs) ?? [],
    expiresAt: row.expires_at,
  });
}

export function publicKey(row: KeyRow, call: Pick<Call, "now">) {
  const limits = readLimits(row);
  return {
    id: row.id,
    name: row.name,
    ownerId: row.owner_id,
    role: row.role as TeamRole,
    ...shownLimits(limits),
    allows: describeKey(row),
    prefix: row.prefix,
    suffix: row.suffix,
    allowedCidrs: readNetworks(row.allowed_cidrs) ?? [],
    expiresAt: row.expires_at,
    activeAt: row.active_at,
    createdBy: row.created_by,
    createdAt: row.created_at,
    previousExpiresAt: endAhead(row.previous_expires_at, call),
    responsibleId: row.user_id ?? row.responsible_id,
    suspendedAt: row.suspended_at,
  };
}

/** The public payload of a key that was created or rotated. */
export function createdPayload({ id, name, team_id, prefix, suffix, expires_at }: KeyRow) {
  return {
    tokenId: id,
    tokenName: name,
    scope: team_id === null ? "user" : "team",
    origin: "manual",
    tokenPrefix: prefix,
    tokenSuffix: suffix,
    ...(expires_at === null ? {} : { expiresAt: expires_at }),
    ...(team_id === null ? {} : { teamId: team_id }),
  };
}
