// The join link of a team: its settings, and the code by which people join.
import { randomHex } from "../../platform/kernel/ids.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext, EventInput } from "../../events/events/emit.ts";
import { findJoinLink, replaceJoinLink } from "./store.ts";

/** The part of a team's settings that is about its join link. */
export interface JoinLinkSettings {
  readonly inviteCodeRole: Exclude<TeamRole, "OWNER">;
  readonly inviteCodeEnabled: boolean;
}

export const DEFAULT_JOIN_LINK: JoinLinkSettings = { inviteCodeRole: "VIEWER", inviteCodeEnabled: true };

/** Reads the stored settings of a team, which hold what differs from the defaults. */
export function readJoinLink(settings: string): JoinLinkSettings {
  return { ...DEFAULT_JOIN_LINK, ...(JSON.parse(settings) as Partial<JoinLinkSettings>) };
}

const INVITE_CODE_LENGTH = 40;

export function newInviteCode(): string {
  return randomHex(INVITE_CODE_LENGTH);
}

/** Masks a code for events, which only have to distinguish two codes. */
function maskCode(code: string): string {
  return `…${code.slice(-4)}`;
}

/** The event that says that a join link has another code. */
export function describeCodeReset(before: string, after: string) {
  const next = { inviteCode: maskCode(after) };
  return {
    type: "team-invite-code-reset",
    text: "replaced the team's join link",
    payload: next,
    previous: { inviteCode: maskCode(before) },
    next,
  } as const satisfies Partial<EventInput>;
}

/** Gives the link another code, and leaves it enabled or disabled. The caller holds the team's lock. */
export async function renewJoinLink(tx: Tx, act: EventContext, teamId: string): Promise<void> {
  const link = await findJoinLink(tx, { teamId });
  if (!link) return;
  const inviteCode = newInviteCode();
  await replaceJoinLink(tx, { teamId, inviteCode, now: act.now });
  await emit(tx, act, { ownerId: teamId, entityId: teamId, ...describeCodeReset(link.inviteCode, inviteCode) });
}
