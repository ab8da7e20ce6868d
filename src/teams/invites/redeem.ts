// Redeems codes.
import { fieldError } from "../../platform/kernel/errors.ts";
import type { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { MembershipInput } from "../../platform/kernel/membership.ts";
import { hashCode } from "./codes.ts";
import { readJoinLink } from "./join-link.ts";
import type { Invitee } from "./rules.ts";
import { refuseLink, mayStillInvite, refuseStatus, requireUsable } from "./rules.ts";
import { findCodeAnywhere, useInvite } from "./store.ts";
import type { FoundCode } from "./row.ts";

export async function findCode(tx: Tx, code: string): Promise<FoundCode | undefined> {
  return await findCodeAnywhere(tx, code, hashCode(code));
}

export function unknownCode(): ApiError {
  return fieldError(
    "invite_unknown",
    "body.inviteCode",
    "there is no such invite; ask the person who invited you for a new one",
  );
}

/** The membership that joining by the code creates; throws when the code does not authorise the person to join. */
export function inputOfCode({ opened }: FoundCode, person: Invitee, now: number): MembershipInput {
  if ("settings" in opened) {
    const { inviteCodeRole: role, inviteCodeEnabled } = readJoinLink(opened.settings);
    if (!inviteCodeEnabled) throw refuseLink();
    return { role, joinedFrom: { origin: "link" }, projects: [], teamPermissions: [], invitedBy: null };
  }
  const { invite, issuer } = opened;
  requireUsable(invite, person, now);
  if (!mayStillInvite(issuer)) throw refuseStatus("revoked");
  return {
    role: invite.role,
    joinedFrom: { origin: invite.kind === "email" ? "mail" : "link" },
    projects: invite.projects,
    teamPermissions: invite.teamPermissions,
    invitedBy: invite.createdBy,
  };
}

/** Whether a code is shareable; otherwise it is one person's invitation. */
export function isShareable({ opened }: FoundCode): boolean {
  return "settings" in opened || opened.invite.kind === "code";
}

/** Counts one use of a code that was found to be usable under the team's lock. A person's invitations are marked as used when they join. */
export async function useCode(tx: Tx, { opened }: FoundCode, now: number): Promise<void> {
  if ("settings" in opened || opened.invite.kind === "email") return;
  const { teamId, id } = opened.invite;
  await useInvite(tx, { teamId, id, now });
}
