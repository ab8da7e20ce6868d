// What an account leaves behind in its teams when it is deleted.
import { ApiError } from "../../kernel/errors.ts";
import type { TeamRole } from "../../kernel/roles.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit, lockChain } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { listTeamsWithKeysOf, suspendAllKeys } from "../api-keys/responsibility.ts";
import { settleLoss } from "./loss.ts";
import { deleteMembershipsOf, listMembershipsOfUser, listTeamsWithoutOtherOwner } from "./store.ts";

interface Leaver {
  readonly id: string;
  readonly username: string;
  readonly email: string;
}

/** An account may own any number of teams: a refusal names the first ones, and counts the others up to a limit. */
const MOST_NAMED = 20;
const MOST_COUNTED = 1_000;

/** Every team keeps a confirmed OWNER: names teams that would have none, and says how many more there are. */
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

/** Takes the account out of its teams, and records that in each team's chain. The caller holds the account's row, so no team can be added. */
export async function leaveEveryTeam(tx: Tx, act: Act, user: Leaver): Promise<void> {
  // Before anything that takes as long as there are teams, and again when nothing can change any more.
  await refuseOrphans(tx, user.id);
  const memberships = await listMembershipsOfUser(tx, { userId: user.id });
  const teamIds = new Set([...memberships.map(({ teamId }) => teamId), ...(await listTeamsWithKeysOf(tx, user.id))]);
  for (const teamId of [...teamIds].toSorted()) await lockChain(tx, teamId);
  await refuseOrphans(tx, user.id);
  const isOwnWill = act.caller.account?.id === user.id;
  const { id: userId, username } = user;
  for (const { teamId, state, role } of await listMembershipsOfUser(tx, { userId: user.id })) {
    await emit(tx, act, {
      type: isOwnWill && state === "member" ? "team-member-leave" : "team-member-delete",
      ownerId: teamId,
      entityId: user.id,
      text: `deleted account ${user.username}, which ${state === "member" ? "was a member" : `had been ${state}`}`,
      payload: {
        deletedUid: user.id,
        deletedUser: { username: user.username, email: user.email },
        role,
        reason: "account deleted",
      },
      previous: { state, role },
    });
    if (state !== "member") continue;
    await settleLoss(tx, act, { teamId, userId, username, before: role as TeamRole, after: null, isDeleted: true });
  }
  await deleteMembershipsOf(tx, { userId });
  // An administrator made them in a team of others.
  for (const teamId of await listTeamsWithKeysOf(tx, userId))
    await suspendAllKeys(tx, act, teamId, { userId, username });
}
