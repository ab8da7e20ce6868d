// Codes from the side of who holds one.
import { fieldError } from "../../kernel/errors.ts";
import type { ApiError } from "../../kernel/errors.ts";
import type { Tx } from "../../kernel/tx.ts";
import type { MembershipInput } from "../../kernel/membership.ts";
import { hashCode } from "./codes.ts";
import { readJoinLink } from "./join-link.ts";
import type { Invitee } from "./rules.ts";
import { refuseLink, refuseStatus, requireIssuer, requireUsable } from "./rules.ts";
import { findCodeAnywhere, useInvite } from "./store.ts";
import type { FoundCode } from "./store.ts";

export async function findCode(tx: Tx, code: string): Promise<FoundCode | undefined> {
  return await findCodeAnywhere(tx, code, hashCode(code));
}

export function unknownCode(): ApiError {
  return fieldError("invite_unknown", "body.inviteCode", "there is no such invite");
}

/** The terms on which somebody may come in by the code; throws what refuses it. */
export function termsOf({ opened }: FoundCode, person: Invitee, now: number): MembershipInput {
  if ("settings" in opened) {
    const { inviteCodeRole: role, inviteCodeEnabled } = readJoinLink(opened.settings);
    if (!inviteCodeEnabled) throw refuseLink();
    return { role, joinedFrom: { origin: "link" }, projects: [], teamPermissions: [], invitedBy: null };
  }
  const { invite, issuer } = opened;
  requireUsable(invite, person, now);
  requireIssuer(invite, issuer);
  return {
    role: invite.role,
    joinedFrom: { origin: invite.kind === "email" ? "mail" : "link" },
    projects: invite.projects,
    teamPermissions: invite.teamPermissions,
    invitedBy: invite.createdBy,
  };
}

/** Whether a code is passed on; otherwise it is somebody's own invitation. */
export function isPassedOn({ opened }: FoundCode): boolean {
  return "settings" in opened || opened.invite.kind === "code";
}

/** Uses a code up by one. A person's invitation is used up by their coming in, as any that is open for them. */
export async function useCode(tx: Tx, { opened }: FoundCode, now: number): Promise<void> {
  if ("settings" in opened || opened.invite.kind === "email") return;
  const { teamId, id } = opened.invite;
  // The last use goes to one of those who try at once.
  if ((await useInvite(tx, { teamId, id, now })) === 0) throw refuseStatus("used_up");
}
