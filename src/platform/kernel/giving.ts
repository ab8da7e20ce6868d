// What a caller has to show who hands out or revives access: a fresh proof of a session, permissions that are no fewer than those that are
// handed out, and an end and networks of their own that are no narrower.
import type { Caller, Scope } from "./caller.ts";
import { ApiError, fieldError } from "./errors.ts";
import { requireLimitsWithin } from "./limits.ts";
import type { Places } from "./limits.ts";
import { readNetworks, requireNetworksWithin } from "./network/allowed-networks.ts";
import { ROLE_MASK } from "./roles.ts";
import type { TeamRole } from "./roles.ts";
import { MINUTE_MS } from "./scheduling/clock.ts";

/** How long a person's proof of who they are stays fresh, ms. */
export const PROOF_MS = 10 * MINUTE_MS;

/** Whether the person has proved lately who they are. Bearer credentials need no proof. */
export function hasFreshProof({ provedAt }: Pick<Caller, "provedAt">, now: number): boolean {
  return provedAt === null || now - provedAt < PROOF_MS;
}

/** Refuses a session whose person has not. */
export function requireFreshProof(caller: Caller, now: number): void {
  if (hasFreshProof(caller, now)) return;
  const { provedAt } = caller;
  throw new ApiError("proof_required", "Confirm it is you, and try again", { provedAt, proofMs: PROOF_MS });
}

type Bounded = Pick<Caller, "expiresAt" | "provedAt" | "allowedCidrs">;

/** When a caller's credential ends, ms; null: never. A session has none: it is the person, who has just proved it. */
function endOf({ expiresAt, provedAt }: Bounded): number | null {
  return provedAt === null ? expiresAt : null;
}

/** Whether a credential ends or works only from some networks, so that it may leave nothing behind without these bounds. */
export function isBounded(caller: Bounded): boolean {
  return endOf(caller) !== null || caller.allowedCidrs !== null;
}

/** Refuses access that would outlive the credential that gives it: otherwise the end of that would be meaningless. */
function requireEndWithin(caller: Bounded, endsAt: number | null): void {
  const end = endOf(caller);
  if (end === null || (endsAt !== null && endsAt <= end)) return;
  throw fieldError(
    "forbidden",
    "body.expiresAt",
    `expected at most ${end}, when the credential of this request expires`,
  );
}

/** Refuses a new credential that outlives the caller's, works from other networks or knows more. */
export function requireWithinCaller(
  { caller }: { readonly caller: Caller },
  wanted: { readonly endsAt: number | null; readonly networks: readonly string[]; readonly places: Places | null },
): void {
  requireEndWithin(caller, wanted.endsAt);
  requireNetworksWithin(caller, wanted.networks);
  requireLimitsWithin(caller, wanted.places);
}

/** Refuses a bounded credential access that can have no such bounds: `what` names it, such as "a role". */
export function requireUnbounded(caller: Bounded, what: string): void {
  if (!isBounded(caller)) return;
  const end = endOf(caller);
  const networks = readNetworks(caller.allowedCidrs);
  const bounds = [
    ...(end === null ? [] : [`expires at ${new Date(end).toISOString()}`]),
    ...(networks === null ? [] : [`works only from ${networks.join(", ")}`]),
  ].join(" and ");
  throw new ApiError(
    "forbidden",
    `Not authorized: the credential of this request ${bounds}, and ${what} would not: use the console, or a credential without these limits`,
    { scope: "bounds" },
  );
}

type Granting = { readonly caller: Caller; readonly scope: Pick<Scope, "permissions"> };

/** Refuses a role with permissions that the caller does not have. */
export function requireRoleWithin({ scope }: Pick<Granting, "scope">, role: TeamRole, field = "body.role"): void {
  if ((ROLE_MASK[role] & ~scope.permissions) === 0) return;
  throw fieldError("forbidden", field, `expected a role with no more permissions than your own, got ${role}`);
}

/** A role that a call hands out. */
export interface GivenRole {
  readonly role: TeamRole;
  /** What hands it out, such as "an invitation". */
  readonly as: string;
  readonly field?: string;
}

/**
 * Refuses to hand out a role with permissions that the caller does not have. A membership has no end, so a bounded credential gives none:
 * an invitation that ends with the credential can be accepted before.
 */
export function requireGrantable({ caller, scope }: Granting, { role, as, field }: GivenRole): void {
  requireRoleWithin({ scope }, role, field);
  requireUnbounded(caller, as);
}
