// What an account leaves behind in its teams when it is deleted. The rows themselves go with the account.
import { ApiError } from "../../kernel/errors.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit, lockChain } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { listMembershipsOfUser, listTeamsWithoutOtherOwner } from "./store.ts";

interface Leaver {
  readonly id: string;
  readonly username: string;
  readonly email: string;
}

/** Every team keeps a confirmed OWNER: names the teams that would have none. */
async function refuseOrphans(tx: Tx, userId: string): Promise<void> {
  const teams = await listTeamsWithoutOtherOwner(tx, { userId });
  if (teams.length === 0) return;
  const slugs = teams.map(({ slug }) => slug).join(", ");
  throw new ApiError(
    "sole_owner",
    `This account is the only OWNER of ${slugs}: make somebody else OWNER there, or delete the team, first`,
    { teams },
  );
}

/** Records in each team's chain that the account goes. The caller holds the account's row, so no team can be added. */
export async function leaveEveryTeam(tx: Tx, act: Act, user: Leaver): Promise<void> {
  for (const { teamId } of await listMembershipsOfUser(tx, { userId: user.id })) await lockChain(tx, teamId);
  await refuseOrphans(tx, user.id);
  const isOwnWill = act.caller.account?.id === user.id;
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
  }
}
