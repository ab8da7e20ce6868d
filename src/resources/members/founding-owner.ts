// The first member of a new team: its creator, as a confirmed OWNER.
import { positionAt } from "../../kernel/pagination.ts";
import type { Tx } from "../../kernel/tx.ts";
import { addMemberEntry } from "../search/entries.ts";
import { insertMembership } from "./store.ts";

export async function addFoundingOwner(
  tx: Tx,
  { teamId, userId, now }: { readonly teamId: string; readonly userId: string; readonly now: number },
): Promise<void> {
  await insertMembership(tx, {
    teamId,
    userId,
    state: "member",
    role: "OWNER",
    joinedFrom: JSON.stringify({ origin: "teams" }),
    projects: "[]",
    teamPermissions: "[]",
    invitedBy: null,
    confirmedAt: now,
    accessRequestedAt: null,
    revision: 1,
    now,
    position: positionAt(now),
  });
  await addMemberEntry(tx, teamId, userId);
}
