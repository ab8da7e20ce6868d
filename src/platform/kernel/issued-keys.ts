// What API keys that are issued for tokens of other issuers may do at most, and for how long.
import { ROLE_PERMISSIONS } from "./roles.ts";
import type { Permission, TeamRole } from "./roles.ts";
import { MINUTE_MS } from "./scheduling/clock.ts";

export const ISSUED_KEY_LIFETIME_MS = 15 * MINUTE_MS;

/** What lets somebody in, makes credentials or sends events on: a key issued for a token must leave nothing that outlives it. */
const LASTING: ReadonlySet<Permission> = new Set([
  "api-key:manage",
  "member:manage",
  "invite:manage",
  "access-request:manage",
  "team:update",
  "webhook:write",
]);

export const isLasting = (permission: Permission) => LASTING.has(permission);

/** The permissions that keys issued with a role have by default. */
export function issuedPermissions(role: TeamRole): Permission[] {
  return ROLE_PERMISSIONS[role].filter((permission) => !isLasting(permission));
}
