// The code of a team's join link.
import { randomHex } from "../../kernel/ids.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { describeCodeReset } from "./changes.ts";
import { findTeam, replaceInviteCode } from "./store.ts";

const INVITE_CODE_LENGTH = 40;

export function newInviteCode(): string {
  return randomHex(INVITE_CODE_LENGTH);
}

/** Gives the link another code, on or off as it is. The caller holds the team's lock. */
export async function renewJoinLink(tx: Tx, act: Act, teamId: string): Promise<void> {
  const team = await findTeam(tx, { id: teamId, userId: "" });
  if (!team) return;
  const inviteCode = newInviteCode();
  await replaceInviteCode(tx, { id: teamId, inviteCode, now: act.now });
  await emit(tx, act, { ownerId: teamId, entityId: teamId, ...describeCodeReset(team.inviteCode, inviteCode) });
}
