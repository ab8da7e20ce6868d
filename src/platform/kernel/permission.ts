// Permission checks within a scope.
import type { Scope } from "./caller.ts";
import { ApiError, teamNotFound } from "./errors.ts";
import { permissionBit } from "./roles.ts";
import type { Permission } from "./roles.ts";

export function forbidden(permission: Permission): ApiError {
  const [resource, action] = permission.split(":");
  const problem = `this needs the permission ${permission}; ask an OWNER for it, or use a credential that has it`;
  return new ApiError("forbidden", `Not authorized: ${problem}`, { resource, action });
}

export function hasPermission(scope: Scope, permission: Permission): boolean {
  return (scope.permissions & permissionBit(permission)) !== 0;
}

/** Returns 404 to callers who may not see the team, as if it did not exist. */
export function requireVisible(scope: Scope): void {
  if (scope.team?.isVisible === false) throw teamNotFound(scope.team.isAwaited);
}

/** Refuses a credential that is limited to another team than the one the call is about. */
export function refuseLimited(scope: { readonly isLimited: boolean }): void {
  if (scope.isLimited) {
    throw new ApiError("forbidden", "Not authorized: this credential is limited to another team", { scope: "team" });
  }
}

export function requirePermission(scope: Scope, permission: Permission): void {
  refuseLimited(scope);
  if (!hasPermission(scope, permission)) throw forbidden(permission);
}

/** For a call about another user, at an endpoint where every user may call about themselves. */
export function requireForOthers(scope: Scope, permission: Permission): void {
  requireVisible(scope);
  requirePermission(scope, permission);
}
