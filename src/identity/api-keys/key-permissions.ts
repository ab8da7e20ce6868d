// What an API key may do: what its role may, or only the permissions of its role that the key lists.
import { fieldError } from "../../platform/kernel/errors.ts";
import { PERMISSIONS, ROLE_MASK, ROLE_PERMISSIONS, TEAM_ROLES, maskOf } from "../../platform/kernel/roles.ts";
import type { Permission, PermissionMask, TeamRole } from "../../platform/kernel/roles.ts";

/** The columns of a key that bound it. */
export interface KeyBounds {
  readonly role: string;
  /** A JSON array, or null for all permissions of the role. */
  readonly permissions: string | null;
}

/** The permissions that a key lists; null: all of its role. */
function listedPermissions({ permissions }: Pick<KeyBounds, "permissions">): Permission[] | null {
  return JSON.parse(permissions ?? "null") as Permission[] | null;
}

/** What a key may do at most. */
export function maskOfKey(bounds: KeyBounds): PermissionMask {
  const mask = ROLE_MASK[bounds.role as TeamRole];
  const listed = listedPermissions(bounds);
  return listed === null ? mask : mask & maskOf(listed);
}

/** The bounds of a key in an error message. */
export function nameBounds({ role, permissions }: KeyBounds): string {
  return permissions === null ? `the role ${role}` : `a key with these permissions of the role ${role}`;
}

/** The permissions in their canonical order. Refuses those that the role does not have, which the key could never use. */
export function canonicalPermissions(role: TeamRole, wanted: readonly Permission[] | undefined): Permission[] | null {
  if (wanted === undefined) return null;
  for (const [i, permission] of wanted.entries()) {
    const own = ROLE_PERMISSIONS[role];
    if (own.includes(permission)) continue;
    const roles = TEAM_ROLES.filter((other) => ROLE_PERMISSIONS[other].includes(permission));
    const expected = `expected a permission of the role ${role}: ${own.join(", ")}`;
    const problem = `${expected}; got ${permission}, which is of ${roles.join(", ")}`;
    throw fieldError("bad_request", `body.permissions[${i}]`, problem);
  }
  return PERMISSIONS.filter((permission) => wanted.includes(permission));
}
