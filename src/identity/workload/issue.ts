// Internal changes of workload identity: exchange a token that was verified for an API key, record a refusal, and forget what is over.
import type { Caller, Origin } from "../../platform/kernel/caller.ts";
import { ISSUED_KEY_LIFETIME_MS } from "../../platform/kernel/issued-keys.ts";
import { readLimits } from "../../platform/kernel/limits.ts";
import type { Permission } from "../../platform/kernel/roles.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../events/events/emit.ts";
import { SYSTEM_CALLER } from "../../events/events/system.ts";
import { maskOfKey } from "../api-keys/key-permissions.ts";
import { createKey } from "../api-keys/service.ts";
import { countUses } from "./find.ts";
import {
  countIssuedKeys,
  countToken,
  deleteExpiredKeys,
  deleteExpiredTokens,
  findWorkingTrustRule,
  recordRefusal,
  touchTrustRule,
} from "./store.ts";
import type { TrustRuleRow } from "./store.ts";

/** Working keys of one trust rule. */
export const MAX_ISSUED = 1_000;
/** How often one token is exchanged: jobs are tried again, and long ones need several keys. */
export const MAX_USES = 100;
/** How often a rule exchanges one token. */
export const usesOf = (isSingleUse: boolean): number => (isSingleUse ? 1 : MAX_USES);
/** A rule's last use is stored once in this time. */
const USE_PAUSE_MS = MINUTE_MS;
/** A rule records one refusal in this time: anybody may get tokens of a public issuer. */
export const REFUSAL_PAUSE_MS = MINUTE_MS;
const MAX_KEY_NAME = 256;
const STEP = 500;

/** A token whose signature, time and audience were verified. */
export interface VerifiedToken {
  readonly issuer: string;
  readonly subject: string;
  /** SHA-256 of what identifies it. */
  readonly hash: string;
  readonly expiresAt: number;
}

export interface Exchange {
  readonly ownerId: string;
  readonly trustId: string;
  /** Of the rule that the token was held against. */
  readonly revision: number;
  readonly token: VerifiedToken;
  /** Null: all that the rule gives. */
  readonly permissions: readonly Permission[] | null;
  readonly origin: Origin;
}

export type Exchanged =
  | { readonly value: string; readonly permissions: readonly Permission[]; readonly expiresInMs: number }
  /** `changed`: the rule is not what the token was held against. `used`: the token was exchanged often enough. `full`: too many keys. */
  | { readonly refusal: "changed" | "used" | "full" };

/** The new key as the actor of its own first event. */
function callerOf(id: string, name: string, rule: TrustRuleRow, permissions: string, now: number): Caller {
  return {
    kind: "key",
    principalId: id,
    account: null,
    credentialId: id,
    keyName: name,
    teamId: rule.teamId,
    ceiling: maskOfKey({ role: rule.role, permissions }),
    limits: readLimits({ permissions, limits: rule.limits }),
    allowedCidrs: rule.allowedCidrs,
    activeAt: now,
    expiresAt: now + ISSUED_KEY_LIFETIME_MS,
    provedAt: null,
  };
}

function payloadOf({ id, name, teamId }: TrustRuleRow, { issuer, subject }: VerifiedToken) {
  return { trustId: id, trustName: name, issuer, subject, ...(teamId !== null && { teamId }) };
}

export async function exchangeIdentity(tx: Tx, exchange: Exchange, now: number): Promise<Exchanged> {
  const { ownerId, trustId, token, origin } = exchange;
  await lockOwner(tx, ownerId);
  const rule = await findWorkingTrustRule(tx, { ownerId, id: trustId });
  if (rule?.revision !== exchange.revision) return { refusal: "changed" };
  if ((await countUses(tx, ownerId, token.hash)) >= usesOf(rule.isSingleUse === 1)) return { refusal: "used" };
  const issued = await countIssuedKeys(tx, { ownerId, trustId, now });
  if ((issued?.count ?? 0) >= MAX_ISSUED) return { refusal: "full" };
  await countToken(tx, { ownerId, hash: token.hash, expiresAt: token.expiresAt });
  const name = `${rule.name}: ${token.subject}`.slice(0, MAX_KEY_NAME).toWellFormed();
  const permissions = exchange.permissions === null ? rule.permissions : JSON.stringify(exchange.permissions);
  const { id, value } = await createKey(tx, {
    ownerId,
    teamId: rule.teamId,
    userId: rule.userId,
    name,
    role: rule.role,
    permissions,
    limits: rule.limits,
    allowedCidrs: rule.allowedCidrs,
    expiresAt: now + ISSUED_KEY_LIFETIME_MS,
    createdBy: trustId,
    responsibleId: rule.responsibleId,
    trustId,
    now,
  });
  await touchTrustRule(tx, { ownerId, id: trustId, now, before: now - USE_PAUSE_MS });
  await emit(
    tx,
    { caller: callerOf(id, name, rule, permissions, now), origin, now },
    {
      type: "identity-exchanged",
      ownerId,
      entityId: id,
      text: `was issued for a token of ${token.issuer} by the trust rule ${rule.name}`,
      payload: { ...payloadOf(rule, token), tokenId: id, expiresAt: now + ISSUED_KEY_LIFETIME_MS },
    },
  );
  return { value, permissions: JSON.parse(permissions) as Permission[], expiresInMs: ISSUED_KEY_LIFETIME_MS };
}

export interface Refusal {
  readonly ownerId: string;
  readonly trustId: string;
  readonly token: VerifiedToken;
  /** What does not fit, in words. */
  readonly reason: string;
  readonly origin: Origin;
}

/** Reeve itself, which may do nothing here but write down. */
const NOBODY: Caller = { ...SYSTEM_CALLER, ceiling: 0 };

/** Records that a token of a trusted issuer was refused, once in a while. Returns whether it did. */
export async function recordExchangeRefusal(tx: Tx, refusal: Refusal, now: number): Promise<boolean> {
  const { ownerId, trustId, token, reason, origin } = refusal;
  await lockOwner(tx, ownerId);
  const rule = await findWorkingTrustRule(tx, { ownerId, id: trustId });
  if (!rule) return false;
  if ((await recordRefusal(tx, { ownerId, id: trustId, now, before: now - REFUSAL_PAUSE_MS })) === 0) return false;
  await emit(
    tx,
    { caller: NOBODY, origin, now },
    {
      type: "identity-refused",
      ownerId,
      entityId: trustId,
      text: `refused a token of ${token.issuer}: ${reason}`,
      payload: { ...payloadOf(rule, token), reason },
    },
  );
  return true;
}

/** Internal change: deletes keys and tokens that have expired. Returns their number. */
export async function pruneExchanges(tx: Tx, _input: null, now: number): Promise<number> {
  const prune = { now, limit: STEP };
  return (await deleteExpiredKeys(tx, prune)) + (await deleteExpiredTokens(tx, prune));
}
