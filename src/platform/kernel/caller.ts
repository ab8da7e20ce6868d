// The caller of a request and the scope of the call: the HTTP layer and authorization find them once, and every handler reads them.
import type { CredentialKind } from "./credential.ts";
import type { Limits } from "./limits.ts";
import type { PermissionMask, TeamRole } from "./roles.ts";
import type { Awaitable, Tx } from "./tx.ts";

/** The owner of data that belongs to no user and no team. Administration of the instance takes this owner's lock. */
export const INSTANCE_ID = "instance";

/** The account of a caller, as events name it. */
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

/** The principal that a credential authenticates. */
export interface Caller {
  readonly kind: "user" | "key" | "system";
  /** Id of the user, the API key, or `system`. */
  readonly principalId: string;
  /** The user's account; null for a team's API key and for the system. */
  readonly account: Account | null;
  /** Id of the access token, API key or session; null for the system. */
  readonly credentialId: string | null;
  /** Name of the API key, for readers of events; null for other credentials. */
  readonly keyName: string | null;
  /** The one team that the credential is limited to. */
  readonly teamId: string | null;
  /** Of a team's API key: the account that answers for it; absent: nobody does. */
  readonly responsibleId?: string | null;
  /** The most that the credential allows, whatever the role of its principal. */
  readonly ceiling: PermissionMask;
  /** What the credential was limited to beside its team and role; null: nothing. */
  readonly limits: Limits | null;
  /** JSON array of the networks that the credential may be used from; null: any. */
  readonly allowedCidrs: string | null;
  /** When the credential was last used, ms. */
  readonly activeAt: number;
  /** When the credential expires, ms; null: never. */
  readonly expiresAt: number | null;
  /** Of a session: when the person last proved who they are, ms. Null: the credential is not a session. */
  readonly provedAt: number | null;
  /** The version of the store at which the caller was read, for what is cached of them; absent where nothing is. */
  readonly readAt?: number;
}

/** Whether a caller may administer the instance. A credential that is limited, be it to a team, never may. */
export function isAdministrator({ kind, account, teamId, limits }: Caller): boolean {
  return kind === "system" || (account?.isAdmin === true && teamId === null && limits === null);
}

/** Whether a caller is the user in person: one of a user's credentials that is not limited to what it names. */
export function isInPerson({ kind, limits }: Caller): boolean {
  return kind === "user" && limits === null;
}

/** The principal of a call: the user, or the team of a key that has no user. */
export function principalOf({
  account,
  teamId,
  principalId,
}: Pick<Caller, "account" | "teamId" | "principalId">): string {
  return account?.id ?? teamId ?? principalId;
}

/** Who answers for a principal: the user, or the account behind a team's key. One account may have many teams, each with keys. */
export function accountableOf(caller: Pick<Caller, "account" | "responsibleId" | "teamId" | "principalId">): string {
  return caller.responsibleId ?? principalOf(caller);
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
  /** Whether the caller may know that it exists: as a member, as its own key, or as an administrator. */
  readonly isVisible: boolean;
  /** The caller, in person, has asked to join it and waits: they know that it exists. */
  readonly isAwaited?: boolean;
}

/** The owner that a call is about: the caller's own account, one team or the instance. */
export interface Scope {
  readonly ownerId: string;
  readonly team: TeamAccess | null;
  readonly permissions: PermissionMask;
  /** The credential is not for this team as a whole: the caller may learn that it exists, and nothing else. */
  readonly isLimited: boolean;
}

/** The person who is responsible for a caller: the caller, or the person responsible for the caller's key; null for nobody. */
export function findResponsibleUserId({ account, responsibleId = null }: Caller): string | null {
  return account?.id ?? responsibleId;
}

/** The team that a call is about. */
export function teamOf(call: { readonly scope: Scope }): TeamName {
  const { team } = call.scope;
  if (!team) throw new Error("the request guards let a call through without its team");
  return team;
}

/** Finds callers and teams for authentication and authorization. Implemented by the resources that own the tables. */
export interface Directory {
  /** The principal of a credential that is valid at `now` from the address `ip`; undefined for any other credential. */
  findCaller(
    tx: Tx,
    credential: { readonly kind: CredentialKind; readonly hash: string },
    now: number,
    ip: string,
  ): Awaitable<Caller | undefined>;
  /** The team with this id or slug and the caller's permissions in it; undefined where there is none. */
  findTeamAccess(tx: Tx, caller: Caller, idOrSlug: string): Awaitable<TeamAuthorization | undefined>;
  /** A deleted team with this id or slug, if the caller may still read its events. */
  findDeletedTeam(tx: Tx, caller: Caller, idOrSlug: string): Awaitable<TeamAuthorization | undefined>;
}

/** What a caller may see and do in a team that exists. */
export interface TeamAuthorization extends TeamAccess {
  readonly isLimited: boolean;
  readonly permissions: PermissionMask;
}

/** The source of a call, for events. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | null;
  /** The id that Reeve gave the request. */
  readonly requestId: string;
  /** The id that the client gave the request. */
  readonly clientRequestId?: string | null;
  readonly via: "http" | "cli" | "system";
}
