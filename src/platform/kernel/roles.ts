// The permissions of each team role, in one table. The documentation prints it and the tests iterate over it.

export const TEAM_ROLES = [
  "OWNER",
  "MEMBER",
  "DEVELOPER",
  "SECURITY",
  "BILLING",
  "VIEWER",
  "VIEWER_FOR_PLUS",
  "CONTRIBUTOR",
] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

/** A role as people read it: `Viewer for plus`. */
export function roleName(role: string): string {
  return role.charAt(0) + role.slice(1).toLowerCase().replaceAll("_", " ");
}

/** Each permission is one bit, so that applying a ceiling is an intersection. */
export const PERMISSIONS = [
  "team:read",
  "team:update",
  "team:delete",
  "member:read",
  "member:manage",
  "invite:read",
  "invite:manage",
  "access-request:manage",
  "api-key:read",
  "api-key:manage",
  "event:read",
  "event:write",
  "secret:read",
  "secret:write",
  "secret:reveal",
  "environment:read",
  "environment:write",
  "firewall:read",
  "firewall:write",
  // What a gate needs, the process in front of an application that enforces its firewall: to read bundles and report traffic.
  "gate:connect",
  "webhook:read",
  "webhook:write",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

const READ: readonly Permission[] = ["team:read", "member:read"];
const BUILD: readonly Permission[] = [
  ...READ,
  "event:read",
  "secret:read",
  "secret:write",
  "environment:read",
  "environment:write",
  "firewall:read",
  "webhook:read",
  "webhook:write",
];

const VIEW: readonly Permission[] = [
  ...READ,
  "event:read",
  "firewall:read",
  "webhook:read",
  "secret:read",
  "environment:read",
];

/** The permissions of each role in its team. An instance administrator has those of an OWNER. */
export const ROLE_PERMISSIONS: Readonly<Record<TeamRole, readonly Permission[]>> = {
  OWNER: PERMISSIONS,
  MEMBER: [
    ...BUILD,
    "secret:reveal",
    "firewall:write",
    "gate:connect",
    "event:write",
    "api-key:read",
    "api-key:manage",
  ],
  DEVELOPER: [...BUILD, "secret:reveal"],
  SECURITY: [
    ...READ,
    "event:read",
    "secret:read",
    "environment:read",
    "firewall:read",
    "firewall:write",
    "gate:connect",
    "webhook:read",
  ],
  BILLING: READ,
  VIEWER: VIEW,
  VIEWER_FOR_PLUS: VIEW,
  CONTRIBUTOR: [...READ, "secret:read", "environment:read"],
};

/** A set of permissions as bits of an integer; there are fewer than 31. */
export type PermissionMask = number;

export function permissionBit(permission: Permission): PermissionMask {
  return 1 << PERMISSIONS.indexOf(permission);
}

export function maskOf(permissions: readonly Permission[]): PermissionMask {
  return permissions.reduce((mask, permission) => mask | permissionBit(permission), 0);
}

export const ALL_PERMISSIONS: PermissionMask = maskOf(PERMISSIONS);
export const NO_PERMISSIONS: PermissionMask = 0;

export const ROLE_MASK: Readonly<Record<TeamRole, PermissionMask>> = Object.fromEntries(
  TEAM_ROLES.map((role) => [role, maskOf(ROLE_PERMISSIONS[role])]),
) as Record<TeamRole, PermissionMask>;

function countPermissions(role: TeamRole): number {
  return ROLE_PERMISSIONS[role].length;
}

/** Roles with more permissions first. */
const RANKING: readonly TeamRole[] = TEAM_ROLES.toSorted((a, b) => countPermissions(b) - countPermissions(a));

/** The role with more permissions; null: none. */
export function higherRole(one: TeamRole | null, other: TeamRole | null): TeamRole | null {
  return RANKING.find((role) => role === one || role === other) ?? null;
}
