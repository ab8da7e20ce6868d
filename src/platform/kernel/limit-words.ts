// What a credential may do, in plain words: for responses, for the console before a credential is made, and for the command line.
import { DIMENSIONS, hasPlaces, limitOf } from "./limits.ts";
import type { Dimension, Limits } from "./limits.ts";
import { PERMISSIONS, ROLE_PERMISSIONS } from "./roles.ts";
import type { Permission, TeamRole } from "./roles.ts";
import { MINUTE_MS } from "./scheduling/clock.ts";

export const PERMISSION_WORDS: Readonly<Record<Permission, string>> = {
  "team:read": "see the team",
  "team:update": "change the team",
  "team:delete": "delete the team",
  "member:read": "see its members",
  "member:manage": "manage members",
  "invite:read": "see invitations",
  "invite:manage": "invite",
  "access-request:manage": "answer requests to join",
  "api-key:read": "see API keys",
  "api-key:manage": "manage API keys",
  "event:read": "see events",
  "event:write": "publish events",
  "secret:read": "see names of secrets",
  "secret:write": "change secrets",
  "secret:reveal": "reveal values",
  "environment:read": "see environments",
  "environment:write": "change environments",
  "firewall:read": "see the firewall",
  "firewall:write": "change the firewall",
  "gate:connect": "connect a gate",
  "webhook:read": "see webhooks and what they were sent",
  "webhook:write": "make and change webhooks, which are sent events",
};

/**
 * What the endpoints that need a permission can be limited to: one list for each kind of endpoint. A credential that is limited in more
 * can't use the permission. A test holds the table against the contracts.
 */
export const LIMITABLE: Readonly<Partial<Record<Permission, readonly (readonly Dimension[])[]>>> = {
  "api-key:read": [DIMENSIONS],
  "api-key:manage": [DIMENSIONS],
  "secret:read": [["name"]],
  "secret:write": [["name"]],
  "secret:reveal": [["name"], DIMENSIONS],
  "environment:read": [["project", "environment"], DIMENSIONS],
  "environment:write": [["project"], ["project", "environment"], DIMENSIONS],
  "firewall:read": [["project"]],
  "firewall:write": [["project"]],
  "gate:connect": [["project"]],
};

/** Permissions that are of no use without one of others, which their endpoints need as well. */
export const NEEDED_BESIDE: Readonly<Partial<Record<Permission, readonly Permission[]>>> = {
  "secret:reveal": ["environment:read", "secret:read"],
  "webhook:read": ["event:read"],
  "webhook:write": ["event:read"],
};

/** What is to be described. */
export interface DescribedCredential {
  /** The role of a key; null: a token, which may do what its user may. */
  readonly role: TeamRole | null;
  readonly limits: Limits | null;
  readonly allowedCidrs: readonly string[];
  /** ms; null: never. */
  readonly expiresAt: number | null;
  /** Of what is not issued yet, instead of its end. */
  readonly lifetimeMs?: number;
}

function join(words: readonly string[], last: string): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** Whether a permission, among others, has any endpoint that applies every limit of the credential. */
function isUsable(permission: Permission, among: readonly Permission[], limits: Limits | null): boolean {
  const beside = NEEDED_BESIDE[permission];
  if (beside && !beside.some((other) => among.includes(other))) return false;
  if (!hasPlaces(limits)) return true;
  const limited = DIMENSIONS.filter((dimension) => limitOf(limits, dimension) !== null);
  return LIMITABLE[permission]?.some((places) => limited.every((dimension) => places.includes(dimension))) ?? false;
}

function describePermissions({ role, limits }: DescribedCredential): string[] {
  const listed = limits?.permissions ?? null;
  if (listed === null && !hasPlaces(limits)) {
    return [`It may do everything that ${role === null ? "its user" : `the role ${role}`} may.`];
  }
  const asked = listed ?? (role === null ? PERMISSIONS : ROLE_PERMISSIONS[role]);
  const usable = asked.filter((permission) => isUsable(permission, asked, limits));
  const useless = listed?.filter((permission) => !usable.includes(permission)) ?? [];
  const what = join(
    usable.map((permission) => PERMISSION_WORDS[permission]),
    "and",
  );
  return [
    usable.length === 0 ? "It may do nothing." : `It may ${what}, and nothing else.`,
    ...(useless.length === 0 ? [] : [`Of no use so: ${useless.join(", ")}.`]),
  ];
}

const KNOWS: Readonly<Record<Dimension, string>> = {
  project: "Of projects it knows only",
  environment: "Of environments it knows only",
  name: "Of secrets and variables it knows only",
};

function describeEnd({ expiresAt, lifetimeMs }: DescribedCredential): string {
  if (lifetimeMs !== undefined) return `It ends ${lifetimeMs / MINUTE_MS} minutes after it was issued.`;
  if (expiresAt === null) return "It has no end.";
  return `It ends on ${new Date(expiresAt).toISOString().slice(0, 16).replace("T", " at ")} UTC.`;
}

/** A few sentences. Whatever they do not mention, it may not do. */
export function describeLimits(credential: DescribedCredential): string {
  const { limits, allowedCidrs } = credential;
  const places = DIMENSIONS.flatMap((dimension) => {
    const list = limitOf(limits, dimension);
    return list === null ? [] : [`${KNOWS[dimension]} ${join(list, "and")}.`];
  });
  return [
    ...describePermissions(credential),
    ...places,
    allowedCidrs.length === 0 ? "It works from any address." : `It works only from ${join(allowedCidrs, "and")}.`,
    describeEnd(credential),
  ].join(" ");
}
