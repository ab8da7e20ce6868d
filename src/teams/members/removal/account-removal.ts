// Removes a deleted account from its teams. That no team loses its last OWNER is checked at once. The memberships are deleted
// in steps (platform/store/removals/), because an account may be in any number of teams.
import { ApiError } from "../../../platform/kernel/errors.ts";
import type { TeamRole } from "../../../platform/kernel/roles.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../../events/events/emit.ts";
import type { EventContext } from "../../../events/events/emit.ts";
import { suspendAllKeys } from "../../../identity/workload/suspension.ts";
import { endInvitesOf, listTeamsOfAnswerer } from "../../invites/issue.ts";
import type { AccountRemoval, RemovalHook } from "../../../platform/store/removals/remove.ts";
import { revokeAfterDemotion } from "./loss.ts";
import { deleteMembership, listMembershipsOfUser, listTeamsWithoutOtherOwner, lockTeamsOf } from "../store.ts";

/** An account may own any number of teams: the error names the first ones, and counts the others up to a limit. */
const MOST_NAMED = 20;
const MOST_COUNTED = 1_000;

/** Refuses when a team would have no confirmed OWNER; the error names such teams and counts the others. */
async function refuseOrphans(tx: Tx, userId: string): Promise<void> {
  const found = await listTeamsWithoutOtherOwner(tx, { userId, limit: MOST_NAMED + MOST_COUNTED });
  if (found.length === 0) return;
  const teams = found.slice(0, MOST_NAMED);
  const more = found.length - teams.length;
  const others = more === 0 ? "" : ` and ${more === MOST_COUNTED ? `${more} or more` : more} others`;
  throw new ApiError(
    "sole_owner",
    `This account is the only OWNER of ${teams.map(({ slug }) => slug).join(", ")}${others}: ` +
      "make somebody else OWNER there, or delete the team, first",
    { teams, more },
  );
}

/** Refuses to delete an account that is a team's only OWNER. The caller has locked the account's row, so no team can be added. */
async function requireLeavable(tx: Tx, userId: string): Promise<void> {
  await refuseOrphans(tx, userId);
  if (await lockTeamsOf(tx, userId)) await refuseOrphans(tx, userId);
}

/** Removes a deleted account from some teams, and records that in each team's chain. Returns the number of teams. */
async function leaveTeams(tx: Tx, act: EventContext, user: AccountRemoval["user"], limit: number): Promise<number> {
  const { id: userId, username, email } = user;
  const listed = await listMembershipsOfUser(tx, { userId, limit });
  const locked = new Set(listed.map(({ teamId }) => teamId).toSorted());
  for (const teamId of locked) await lockOwner(tx, teamId);
  const isOwnWill = act.caller.account?.id === userId;
  // Read again: a team may have been deleted before it was locked.
  const memberships = await listMembershipsOfUser(tx, { userId, limit });
  for (const { teamId, state, role, isTeamPresent } of memberships.filter((membership) =>
    locked.has(membership.teamId),
  )) {
    await deleteMembership(tx, { teamId, userId });
    if (isTeamPresent === 0) continue;
    await emit(tx, act, {
      type: isOwnWill && state === "member" ? "team-member-leave" : "team-member-delete",
      ownerId: teamId,
      entityId: userId,
      text: `deleted account ${username}, which ${state === "member" ? "was a member" : `had been ${state}`}`,
      payload: { deletedUid: userId, deletedUser: { username, email }, role, reason: "account deleted" },
      previous: { state, role },
    });
    if (state !== "member") continue;
    await revokeAfterDemotion(tx, act, { teamId, userId, username, before: role as TeamRole, after: null });
  }
  return listed.length;
}

/** Removes a deleted account from the next teams. Returns fewer than `limit` when there are no more. */
async function leaveNextTeams(
  tx: Tx,
  { user, caller, origin }: AccountRemoval,
  limit: number,
  now: number,
): Promise<number> {
  const act = { caller, origin, now };
  const left = await leaveTeams(tx, act, user, limit);
  if (left === limit) return left;
  // An administrator may have created keys, and invited people, in teams of which they are no member.
  const person = { userId: user.id, username: user.username };
  const teamIds = (await listTeamsOfAnswerer(tx, user.id, now)).slice(0, limit - left);
  for (const teamId of teamIds) {
    await lockOwner(tx, teamId);
    await suspendAllKeys(tx, act, teamId, person);
    await endInvitesOf(tx, act, teamId, person);
  }
  return left + teamIds.length;
}

export const membersRemoval: RemovalHook = {
  async refuse(tx, { kind, ownerId }) {
    if (kind === "user") await requireLeavable(tx, ownerId);
  },
  leave: leaveNextTeams,
};
