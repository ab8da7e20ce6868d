// Codes from the side of who holds one.
import { fieldError } from "../../kernel/errors.ts";
import type { ApiError } from "../../kernel/errors.ts";
import type { Tx } from "../../kernel/tx.ts";
import type { Terms } from "../members/terms.ts";
import { hashCode } from "./codes.ts";
import { refuseStatus, requireUsable } from "./rules.ts";
import { findCodeAnywhere, useInvite } from "./store.ts";
import type { FoundCode } from "./store.ts";

export async function findCode(tx: Tx, code: string): Promise<FoundCode | undefined> {
  return await findCodeAnywhere(tx, code, hashCode(code));
}

export function unknownCode(): ApiError {
  return fieldError("invite_unknown", "body.inviteCode", "there is no such invite");
}

/** Uses a code up by one and answers the terms on which its holder comes in. */
export async function useCode(tx: Tx, { invite }: FoundCode, email: string, now: number): Promise<Terms> {
  if (!invite) return { role: "MEMBER", joinedFrom: { origin: "link" }, projects: [], invitedBy: null };
  requireUsable(invite, email, now);
  // The last use goes to one of those who try at once.
  if ((await useInvite(tx, { teamId: invite.teamId, id: invite.id, now })) === 0) throw refuseStatus("used_up");
  return {
    role: invite.role,
    joinedFrom: { origin: invite.kind === "email" ? "mail" : "link" },
    projects: invite.projects,
    invitedBy: invite.createdBy,
  };
}
