// Deleting a team: every path returns 404 at once, and its rows are deleted soon after (platform/store/removals/). The owner's row
// and its chain of events remain, and record who deleted what.
import type { Call } from "../../platform/kernel/contract.ts";
import type { Caller } from "../../platform/kernel/caller.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../events/events/emit.ts";
import type { OwnerRemoval } from "../../platform/store/removals/remove.ts";
import { chooseDefaultTeam } from "../../identity/accounts/change.ts";
import type { teamsContract } from "./contract.ts";
import { rememberDeletedTeam } from "./deleted.ts";
import { findTeamAccess } from "../../identity/team-access/team-access.ts";
import { countMembers } from "./store.ts";
import type { TeamRow } from "./store.ts";

type DeletionCall = Call<typeof teamsContract.deleteTeam>;

function nameOf({ account, keyName }: Caller): string {
  return account?.username ?? keyName ?? "Reeve";
}

/** Gives the caller another default team; false when it is none of the caller's other teams. */
async function switchDefaultTeam(tx: Tx, call: DeletionCall, deletedId: string, idOrSlug: string): Promise<boolean> {
  const { account } = call.caller;
  const found = await findTeamAccess(tx, call.caller, idOrSlug);
  if (!account || !found || found.id === deletedId) return false;
  await lockOwner(tx, found.id);
  // The membership may have ended before the lock was taken.
  const chosen = await findTeamAccess(tx, call.caller, found.id);
  if (!chosen?.role) return false;
  await chooseDefaultTeam(tx, call, account.id, chosen.id);
  return true;
}

/** Records the deletion in the team's own chain, which remains for audit, and in the chain of the caller's account. */
async function recordDeletion(tx: Tx, call: DeletionCall, { id, slug, name }: TeamRow): Promise<void> {
  const { account } = call.caller;
  const reasons = call.body?.reasons ?? [];
  const event = {
    type: "team-delete",
    entityId: id,
    text: `deleted team ${slug}`,
    payload: {
      teamId: id,
      slug,
      by: nameOf(call.caller),
      ...(account ? { byUid: account.id } : {}),
      ...(reasons.length > 0 ? { reasons } : {}),
      removedMemberCount: (await countMembers(tx, { teamId: id }))?.count ?? 0,
      timestamp: call.now,
    },
    previous: { slug, name },
  } as const;
  await emit(tx, call, { ...event, ownerId: id });
  if (account) await emit(tx, call, { ...event, ownerId: account.id });
}

/** Deletes the team. The caller holds its lock and read `row` under it. */
export async function removeTeam(tx: Tx, removal: OwnerRemoval, call: DeletionCall, row: TeamRow) {
  const { id } = row;
  const { newDefaultTeamId } = call.query;
  const isSwitched = newDefaultTeamId === undefined || (await switchDefaultTeam(tx, call, id, newDefaultTeamId));
  await recordDeletion(tx, call, row);
  await rememberDeletedTeam(tx, row, call.now);
  await removal.begin(tx, { kind: "team", ownerId: id }, call.now);
  return { id, ...(isSwitched ? {} : { newDefaultTeamIdError: true }) };
}
