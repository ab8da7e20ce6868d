// What signing in needs of invitations; the resource of members implements it.
import type { Caller } from "../../platform/kernel/caller.ts";
import type { Instance } from "../../platform/kernel/contract.ts";
import type { NewOwner } from "./new-account.ts";

export interface InvitationPreview {
  readonly teamName: string;
  readonly teamSlug: string;
  /** Null: the team's join link, whose role the team may change. */
  readonly role: string | null;
  readonly inviterName: string | null;
  /** The invited address; null: the invitation is for anybody with the code, or for one account. Both have an account already. */
  readonly email: string | null;
  /** ms; null: it has no end. */
  readonly expiresAt: number | null;
}

/** Who accepts an invitation with a new account. */
export interface NewMember extends NewOwner {
  readonly code: string;
  readonly instance: Instance;
}

export interface Invitations {
  /** The invitation of a code that still works; undefined for any other. Changes nothing. */
  preview(code: string): Promise<InvitationPreview | undefined>;
  /** The invitation of the caller to the team with this id or slug; undefined when there is none. Changes nothing. */
  previewOwn(caller: Caller, idOrSlug: string): Promise<InvitationPreview | undefined>;
  /** Makes the account of an invited address and joins the team. Throws what the form shows. */
  join(member: NewMember): Promise<{ readonly userId: string }>;
}
