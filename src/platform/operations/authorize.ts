// Authorization: resolves the scope of a call from the store. A mutation does this inside its transaction, so that no change is
// based on a permission that was just revoked.
import { INSTANCE_ID, isAdministrator } from "../kernel/caller.ts";
import type { Caller, Directory, Scope, TeamAuthorization } from "../kernel/caller.ts";
import { isMutation } from "../kernel/contract.ts";
import type { Access, Endpoint } from "../kernel/contract.ts";
import { ApiError, teamNotFound } from "../kernel/errors.ts";
import { DIMENSIONS, hasPlaces, isWithin, limitOf, outsideOf } from "../kernel/limits.ts";
import type { Dimension, LimitPlace } from "../kernel/limits.ts";
import { requirePermission } from "../kernel/permission.ts";
import { ALL_PERMISSIONS, NO_PERMISSIONS } from "../kernel/roles.ts";
import type { Tx } from "../kernel/tx.ts";

/** The team that a request names by id or slug, in each of the three places where it can. */
export interface ScopeReference {
  readonly pathTeam: string | null;
  readonly teamId: string | null;
  readonly slug: string | null;
  /** The query has `instance=true`, which endpoints with `orInstance` accept. */
  readonly isInstance: boolean;
}

/** What a call names: an owner, and what its contract may apply limits to. */
export interface CallInput {
  readonly scope: ScopeReference;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export const NO_SCOPE: ScopeReference = { pathTeam: null, teamId: null, slug: null, isInstance: false };

function requireUser(caller: Caller): void {
  if (!caller.account)
    throw new ApiError("forbidden", "Not authorized: only a user's credential can do this; use an access token");
}

/**
 * A user's own data, for which no role decides, is changed only by a credential with all of the user's permissions.
 * `known-team` is about one team, so its handlers check whether a limited credential fits.
 */
function requireWholeUser(access: Access & { kind: "user" | "known-team" }, caller: Caller): void {
  if (access.kind === "user" && !access.allowLimited && caller.teamId !== null) {
    throw new ApiError("forbidden", "Not authorized: this credential is limited to one team; use one that is not", {
      scope: "team",
    });
  }
  if (caller.ceiling !== ALL_PERMISSIONS) {
    throw new ApiError(
      "forbidden",
      "Not authorized: an API key needs all permissions of the role OWNER to act for its user",
    );
  }
}

/** A credential with limits is for what they name, and never for the person behind it. */
function refuseNarrow({ limits }: Caller): void {
  if (limits === null) return;
  const message = "Not authorized: this credential is limited; it can't act for its user, or in their own matters";
  throw new ApiError("forbidden", message, { scope: "limits" });
}

/** The values at `body.scope.projectIds` of an input. What is no text is outside of every limit. */
function valuesAt(path: string, input: CallInput): readonly unknown[] {
  const value = path
    .split(".")
    .reduce<unknown>((at, member) => (at as Readonly<Record<string, unknown>> | null | undefined)?.[member], input);
  return value === undefined ? [] : [value].flat();
}

/** Throws unless a request names only what is within the limit of the caller. */
function requireWithin(caller: Caller, dimension: Dimension, place: LimitPlace, input: CallInput): void {
  if (place === "handler") return;
  const { at, otherwise } = typeof place === "string" ? { at: [place] } : place;
  const named = at.flatMap((path) => valuesAt(path, input));
  const values = named.length === 0 && otherwise !== undefined ? [otherwise] : named;
  const outside = values.find((value) => typeof value !== "string" || !isWithin(caller, dimension, value));
  if (values.length === 0 || outside !== undefined) {
    throw outsideOf(dimension, typeof outside === "string" ? outside : "");
  }
}

/** Applies the limits of a credential as the contract declares; what it does not declare is refused. */
function applyLimits({ limits: places = {} }: Endpoint, caller: Caller, input: CallInput): void {
  for (const dimension of DIMENSIONS) {
    if (limitOf(caller.limits, dimension) === null) continue;
    const place = places[dimension];
    if (place === undefined) {
      const message = `Not authorized: this credential is limited to some ${dimension}s, and this is not about one`;
      throw new ApiError("forbidden", message, { scope: "limits", limitedTo: dimension });
    }
    requireWithin(caller, dimension, place, input);
  }
}

function scopeOfTeam(team: TeamAuthorization): Scope {
  return { ownerId: team.id, team, permissions: team.permissions, isLimited: team.isLimited };
}

function ownScope(caller: Caller): Scope {
  if (!caller.account) throw new ApiError("forbidden", "Not authorized: this credential belongs to no user");
  return {
    ownerId: caller.account.id,
    team: null,
    permissions: caller.teamId === null ? ALL_PERMISSIONS & caller.ceiling : NO_PERMISSIONS,
    isLimited: caller.teamId !== null,
  };
}

function instanceScope(caller: Caller): Scope {
  if (!isAdministrator(caller))
    throw new ApiError("forbidden", "Not authorized: this needs an instance administrator; ask one");
  return { ownerId: INSTANCE_ID, team: null, permissions: ALL_PERMISSIONS, isLimited: false };
}

/** A request may name a team more than once, by id and slug, but only one team. */
function refuseContradiction(team: TeamAuthorization, reference: ScopeReference): void {
  const names = [reference.pathTeam, reference.teamId, reference.slug];
  if (names.some((name) => name !== null && name !== team.id && name !== team.slug)) {
    throw new ApiError("scope_conflict", "teamId and slug: expected both to name the same team");
  }
}

/** The team that a request names, else that of the credential: one of them does. The caller must be able to see it unless it `mayBeHidden`. */
async function findTeam(
  tx: Tx,
  directory: Directory,
  caller: Caller,
  reference: ScopeReference,
  {
    mayBeHidden,
    afterDeletion,
  }: { readonly mayBeHidden?: boolean | undefined; readonly afterDeletion?: true | undefined } = {},
): Promise<TeamAuthorization> {
  const name = (reference.pathTeam ?? reference.teamId ?? reference.slug ?? caller.teamId) as string;
  let team = await directory.findTeamAccess(tx, caller, name);
  // Another team may have taken the slug of the deleted one.
  if (afterDeletion && !team?.isVisible) team = await directory.findDeletedTeam(tx, caller, name);
  if (!team || !(mayBeHidden || team.isVisible)) throw teamNotFound(team?.isAwaited);
  refuseContradiction(team, reference);
  return team;
}

function namesTeam(reference: ScopeReference): boolean {
  return reference.teamId !== null || reference.slug !== null;
}

/**
 * The scope of a call. Throws 404 for a team that the caller may not see or what is outside of the credential's limits, and 403 for
 * what the caller may not do.
 */
export async function resolveScope(
  tx: Tx,
  directory: Directory,
  endpoint: Endpoint,
  caller: Caller,
  input: CallInput,
): Promise<Scope> {
  const scope = await authorize(tx, directory, endpoint, caller, input.scope);
  // In its team, a limited form may be for everybody.
  if (endpoint.access.kind === "user" || endpoint.access.kind === "key") return scope;
  if (endpoint.access.kind === "team" && endpoint.access.allowLimited && hasPlaces(caller.limits)) {
    return { ...scope, permissions: NO_PERMISSIONS, isLimited: true };
  }
  applyLimits(endpoint, caller, input);
  return scope;
}

async function authorize(
  tx: Tx,
  directory: Directory,
  endpoint: Endpoint,
  caller: Caller,
  reference: ScopeReference,
): Promise<Scope> {
  const { access } = endpoint;
  switch (access.kind) {
    case "user": {
      if (access.tokensOnly !== undefined && caller.kind === "key") throw new ApiError("forbidden", access.tokensOnly);
      requireUser(caller);
      if (!(access.allowNarrow && caller.kind === "user")) refuseNarrow(caller);
      if (access.sessionsOnly !== undefined && caller.provedAt === null) {
        throw new ApiError("forbidden", access.sessionsOnly);
      }
      if ((isMutation(endpoint) || access.wholeOnly) && !access.allowNarrow) requireWholeUser(access, caller);
      if (!namesTeam(reference)) return ownScope(caller);
      return scopeOfTeam(await findTeam(tx, directory, caller, reference));
    }
    case "owner": {
      if (reference.isInstance) {
        const scope = instanceScope(caller);
        if (namesTeam(reference)) {
          throw new ApiError("scope_conflict", "instance: expected without teamId and slug", {
            field: "query.instance",
          });
        }
        return scope;
      }
      const isTeam = namesTeam(reference) || caller.teamId !== null;
      const scope = isTeam
        ? scopeOfTeam(await findTeam(tx, directory, caller, reference, { afterDeletion: access.afterDeletion }))
        : ownScope(caller);
      requirePermission(scope, access.permission);
      if (access.alsoNeeds) requirePermission(scope, access.alsoNeeds);
      return scope;
    }
    case "team": {
      const mayBeHidden = access.allowPending && caller.account !== null && caller.limits === null;
      const team = await findTeam(tx, directory, caller, reference, { mayBeHidden });
      const scope = scopeOfTeam(team);
      if (!team.isVisible) return scope;
      if (!(access.allowLimited && (scope.isLimited || hasPlaces(caller.limits))))
        requirePermission(scope, access.permission);
      return scope;
    }
    case "known-team": {
      if (!access.others) {
        requireUser(caller);
        refuseNarrow(caller);
        if (isMutation(endpoint)) requireWholeUser(access, caller);
      }
      return scopeOfTeam(await findTeam(tx, directory, caller, reference, { mayBeHidden: caller.account !== null }));
    }
    case "key":
      if (namesTeam(reference)) await findTeam(tx, directory, caller, reference);
      if (caller.kind !== "key") throw new ApiError("forbidden", access.keysOnly);
      if (caller.teamId === null) return ownScope(caller);
      return scopeOfTeam(await findTeam(tx, directory, caller, NO_SCOPE));
    case "instance":
      return instanceScope(caller);
  }
}
