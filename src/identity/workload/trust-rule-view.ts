// Trust rules as responses and events show them, and as the exchange reads them.
import type { Static } from "typebox";
import { ISSUED_KEY_LIFETIME_MS } from "../../platform/kernel/issued-keys.ts";
import { describeLimits } from "../../platform/kernel/limit-words.ts";
import { readLimits, shownLimits } from "../../platform/kernel/limits.ts";
import { readNetworks } from "../../platform/kernel/network/allowed-networks.ts";
import type { Permission, TeamRole } from "../../platform/kernel/roles.ts";
import { parseStored } from "../../platform/kernel/text/stored-json.ts";
import type { ClaimRules } from "./claim-rules.ts";
import type { TrustRuleRow } from "./store.ts";
import type { IdentityTrust } from "./contract.ts";

/** The columns that say what issued keys may do. */
export type TrustRuleAbilities = Pick<TrustRuleRow, "role" | "permissions" | "limits" | "allowedCidrs">;

/** What an issued key may do, in plain words. */
export function describeIssued(row: TrustRuleAbilities): string {
  return describeLimits({
    role: row.role as TeamRole,
    limits: readLimits(row),
    allowedCidrs: readNetworks(row.allowedCidrs) ?? [],
    expiresAt: null,
    lifetimeMs: ISSUED_KEY_LIFETIME_MS,
  });
}

/** What the exchange reads of a rule, as plain data. */
export interface TrustRule {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  readonly claims: ClaimRules;
  readonly permissions: readonly Permission[];
  readonly isSuspended: boolean;
  readonly isSingleUse: boolean;
  readonly revision: number;
  /** When a refusal was last recorded as an event. */
  readonly refusedAt: number | null;
}

export function trustRuleOf(row: TrustRuleRow): TrustRule {
  const { id, name, issuer, audience, revision } = row;
  return {
    id,
    ownerId: row.ownerId,
    name,
    issuer,
    audience,
    claims: parseStored(row.claims) as ClaimRules,
    permissions: parseStored(row.permissions) as Permission[],
    isSuspended: row.suspendedAt !== null,
    isSingleUse: row.isSingleUse === 1,
    revision,
    refusedAt: row.refusedAt,
  };
}

/** The same with what its keys may do, in words. */
export interface ExplainedTrustRule extends TrustRule {
  readonly allows: string;
}

export function explainedTrustRule(row: TrustRuleRow): ExplainedTrustRule {
  return { ...trustRuleOf(row), allows: describeIssued(row) };
}

/** What a rule says, for events. */
export function trustRuleState(row: TrustRuleRow) {
  const { name, issuer, audience, claims, permissions } = trustRuleOf(row);
  return {
    name,
    issuer,
    audience,
    claims,
    role: row.role,
    ...shownLimits(readLimits(row)),
    permissions,
    allowedCidrs: readNetworks(row.allowedCidrs) ?? [],
    singleUse: row.isSingleUse === 1,
  };
}

export function publicTrustRule(row: TrustRuleRow): Static<typeof IdentityTrust> {
  const { name, issuer, audience, claims, permissions } = trustRuleOf(row);
  return {
    id: row.id,
    ownerId: row.ownerId,
    name,
    issuer,
    audience,
    // The schema's type of lists is mutable.
    claims: claims as Record<string, string>,
    role: row.role as TeamRole,
    ...shownLimits(readLimits(row)),
    permissions: [...permissions],
    allowedCidrs: readNetworks(row.allowedCidrs) ?? [],
    allows: describeIssued(row),
    singleUse: row.isSingleUse === 1,
    responsibleId: row.userId ?? row.responsibleId,
    suspendedAt: row.suspendedAt,
    activeAt: row.activeAt,
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
