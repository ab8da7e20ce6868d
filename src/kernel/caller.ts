// Who is calling and in whose name: what the edge works out once and every verb reads.
import type { PermissionMask, TeamRole } from "./roles.ts";
import type { Awaitable, Tx } from "./tx.ts";

/** Owner of what belongs to no user and no team: the one lock that administration of the instance takes. */
export const INSTANCE_ID = "instance";

/** The account behind a caller, as events name it. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly name: string | null;
  readonly avatar: string | null;
  readonly defaultTeamId: string | null;
  /** May administer the instance with this credential; never with an API key. */
  readonly isAdmin: boolean;
  readonly createdAt: number;
  readonly revision: number;
}

/** The principal that a credential stands for. */
export interface Caller {
  readonly kind: "user" | "key" | "system";
  /** Id of the user, the API key, or `system`. */
  readonly principalId: string;
  /** The account acted for; null for keys of a team and for the system. */
  readonly account: Account | null;
  /** Id of the access token or API key; null for the system. */
  readonly credentialId: string | null;
  /** Name of the API key, for people reading events; null otherwise. */
  readonly keyName: string | null;
  /** The one team that the credential is limited to. */
  readonly teamId: string | null;
  /** What the credential may do at most, whatever its principal's role. */
  readonly ceiling: PermissionMask;
  /** When the credential was last seen in use, ms. */
  readonly activeAt: number;
  /** When the credential ends, ms; null: never. */
  readonly expiresAt: number | null;
}

/** Whether a caller may administer the instance: by a credential that is limited to no team. */
export function isAdministrator({ kind, account, teamId }: Caller): boolean {
  return kind === "system" || (account?.isAdmin === true && teamId === null);
}

/** Whose share of what is bounded a call takes: the user behind it, or the team of a key that stands for no user. */
export function principalOf({ account, teamId, principalId }: Caller): string {
  return account?.id ?? teamId ?? principalId;
}

/** A team as events, mail and responses name it. */
export interface TeamName {
  readonly id: string;
  readonly slug: string;
  readonly name: string | null;
}

/** A team as the caller may see it. */
export interface TeamAccess extends TeamName {
  /** The caller's confirmed role; null for administrators from outside and for keys. */
  readonly role: TeamRole | null;
}

/** The owner whose things a call is about: the caller's own account or one team. */
export interface Scope {
  readonly ownerId: string;
  readonly team: TeamAccess | null;
  readonly permissions: PermissionMask;
  /** The credential is limited to another team: the caller may know of this one and no more. */
  readonly isLimited: boolean;
}

/** The team that a call is about. */
export function teamOf(call: { readonly scope: Scope }): TeamName {
  const { team } = call.scope;
  if (!team) throw new Error("the request guards let a call through without its team");
  return team;
}

/** Answers the edge's two questions. Implemented by the slices that own the tables. */
export interface Directory {
  /** The principal of a credential that is valid at `now` from address `ip`; undefined for every other. */
  findCaller(
    tx: Tx,
    credential: { readonly kind: "token" | "key"; readonly hash: string },
    now: number,
    ip: string,
  ): Awaitable<Caller | undefined>;
  /** The team with this id or slug, if there is one, and how the caller stands to it. */
  findTeamAccess(tx: Tx, caller: Caller, idOrSlug: string): Awaitable<TeamAuthorization | undefined>;
  /** A deleted team with this id or slug, if the caller may still read its events. */
  findDeletedTeam(tx: Tx, caller: Caller, idOrSlug: string): Awaitable<TeamAuthorization | undefined>;
}

/** How a caller stands to a team that exists. */
export interface TeamAuthorization extends TeamAccess {
  readonly isVisible: boolean;
  readonly isLimited: boolean;
  readonly permissions: PermissionMask;
}

/** Where a call came from, for events. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | null;
  /** Ours. */
  readonly requestId: string;
  /** The one that the client gave the request. */
  readonly clientRequestId?: string | null;
  readonly via: "http" | "cli" | "system";
}
