// The events of a deleted team remain readable for those who were its OWNERs when it was deleted, and for administrators.
// They may read the events for as long as events are retained, and nothing else.
import { isAdministrator } from "../../platform/kernel/caller.ts";
import type { Caller, TeamAuthorization } from "../../platform/kernel/caller.ts";
import { isId } from "../../platform/kernel/ids.ts";
import { hasPlaces } from "../../platform/kernel/limits.ts";
import { permissionBit } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import {
  deleteBefore,
  findAnyById,
  findAnyBySlug,
  findOwnedById,
  findOwnedBySlug,
  insertDeletedTeam,
  insertOwners,
} from "./deleted-store.ts";
import type { TeamRow } from "./store.ts";

/** Bounds the time of one transaction: each team has up to a thousand remembered OWNERs. */
const BATCH = 20;

/** Remembers a team that is about to be deleted, while its members are still there. */
export async function rememberDeletedTeam(tx: Tx, { id, slug, name }: TeamRow, now: number): Promise<void> {
  await insertDeletedTeam(tx, { id, slug, name, now });
  await insertOwners(tx, { teamId: id });
}

/** The deleted team with this id or slug, if the caller may read its events. */
export async function findDeletedTeam(
  tx: Tx,
  caller: Caller,
  idOrSlug: string,
): Promise<TeamAuthorization | undefined> {
  if (caller.teamId !== null || hasPlaces(caller.limits)) return undefined;
  const isById = isId("team", idOrSlug);
  const row = isAdministrator(caller)
    ? await (isById ? findAnyById : findAnyBySlug)(tx, { name: idOrSlug })
    : await (isById ? findOwnedById : findOwnedBySlug)(tx, { name: idOrSlug, userId: caller.account?.id ?? "" });
  if (!row) return undefined;
  const permissions = permissionBit("event:read") & caller.ceiling;
  return { ...row, role: null, isVisible: true, isLimited: false, permissions };
}

/** Deletes teams whose events are past retention. Returns how many. */
export async function forgetDeletedTeams(tx: Tx, before: number): Promise<number> {
  return await deleteBefore(tx, { before, limit: BATCH });
}
