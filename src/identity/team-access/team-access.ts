// The caller's authorization in a team: the only code that combines role, ceiling, key and administrator.
import { isAdministrator } from "../../platform/kernel/caller.ts";
import type { Caller, TeamAuthorization } from "../../platform/kernel/caller.ts";
import { isId } from "../../platform/kernel/ids.ts";
import { hasPlaces } from "../../platform/kernel/limits.ts";
import { ALL_PERMISSIONS, NO_PERMISSIONS, ROLE_MASK } from "../../platform/kernel/roles.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import { afterRead } from "../../platform/kernel/tx.ts";
import type { Awaitable, Tx } from "../../platform/kernel/tx.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";
import { findAuthorizationById, findAuthorizationBySlug } from "./store.ts";

/** A team and the caller's own membership of it, as the store knows them. */
interface KnownTeam {
  readonly id: string;
  readonly slug: string;
  readonly name: string | null;
  readonly state: Tables["memberships"]["state"] | null;
  readonly role: string | null;
}

export function teamAuthorization(caller: Caller, team: KnownTeam): TeamAuthorization {
  const { id, slug, name } = team;
  const role = team.state === "member" ? (team.role as TeamRole) : null;
  const isOwnKey = caller.kind === "key" && caller.teamId === id;
  const isAdmin = isAdministrator(caller);
  // Names of projects and secrets are an owner's: a credential that is limited to some is for one owner.
  const isLimited = caller.teamId === null ? hasPlaces(caller.limits) : caller.teamId !== id;
  const granted = isAdmin || isOwnKey ? ALL_PERMISSIONS : role === null ? NO_PERMISSIONS : ROLE_MASK[role];
  return {
    id,
    slug,
    name,
    role,
    isVisible: role !== null || isOwnKey || isAdmin,
    isLimited,
    isAwaited: team.state === "requested" && caller.kind === "user" && caller.limits === null,
    permissions: isLimited ? NO_PERMISSIONS : granted & caller.ceiling,
  };
}

export function findTeamAccess(tx: Tx, caller: Caller, idOrSlug: string): Awaitable<TeamAuthorization | undefined> {
  const find = isId("team", idOrSlug) ? findAuthorizationById : findAuthorizationBySlug;
  const found = find(tx, { name: idOrSlug, userId: caller.account?.id ?? "" });
  return afterRead(found, (row) => row && teamAuthorization(caller, row));
}
