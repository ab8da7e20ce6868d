// The membership statuses and every move between them, as data: who may make it, the event that it emits, and the errors that
// refuse it. The services check a move here first, then store it, then emit its event.
import { ApiError, fieldError } from "../../platform/kernel/errors.ts";
import type { ErrorCode } from "../../platform/kernel/errors.ts";
import { ROLE_MASK, permissionBit } from "../../platform/kernel/roles.ts";
import type { Permission, TeamRole } from "../../platform/kernel/roles.ts";

/** `invited` covers both kinds of invitation: of an account, and of an e-mail address. */
export const MEMBERSHIP_STATUSES = ["none", "invited", "requested", "member"] as const;
export type MembershipStatus = (typeof MEMBERSHIP_STATUSES)[number];

interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** The input that is refused, where it is always the same one. */
  readonly field?: string | undefined;
}

export interface Transition {
  /** Who may make the move: the person themselves, holders of this permission in the team, or a provider's role mapping. */
  readonly by: "self" | "mapping" | Permission;
  readonly event: string;
  /** The next status for each status, or the refusal. */
  readonly from: Readonly<Record<MembershipStatus, MembershipStatus | Refusal>>;
}

const refuse = (code: ErrorCode, message: string, field?: string): Refusal => ({ code, message, field });

const CONFIRMED = "body.confirmed";
const ALREADY_MEMBER = refuse(
  "already_member",
  "is a member of this team already; PATCH /v1/teams/{teamId}/members/{uid} changes the role",
);
const ALREADY_INVITED = refuse("already_invited", "is invited to this team already");
const NO_MEMBER = refuse(
  "member_not_found",
  "Nobody with this id belongs to the team, is invited, or asks to join; GET /v2/teams/{teamId}/members lists them",
);
const NOT_INVITED = refuse(
  "not_invited",
  "You are not invited to this team: request access to it, or use an invite code",
);

export const TRANSITIONS = {
  invite: {
    by: "invite:manage",
    event: "team-member-add",
    from: {
      none: "invited",
      invited: ALREADY_INVITED,
      requested: refuse("already_requested", "has asked to join this team: confirm the request instead"),
      member: ALREADY_MEMBER,
    },
  },
  acceptInvitation: {
    by: "self",
    event: "team-member-join",
    from: {
      none: NOT_INVITED,
      invited: "member",
      requested: refuse("not_invited", "You are not invited to this team: your access request waits to be confirmed"),
      member: refuse("already_member", "You are a member of this team already"),
    },
  },
  redeemCode: {
    by: "self",
    event: "team-member-join",
    from: {
      none: "member",
      invited: "member",
      requested: "member",
      member: refuse("already_member", "You are a member of this team already"),
    },
  },
  requestAccess: {
    by: "self",
    event: "team-member-request-access",
    from: {
      none: "requested",
      invited: refuse("already_invited", "You are invited to this team: join it by its id"),
      requested: refuse("already_requested", "Your access request waits to be confirmed"),
      member: refuse("already_member", "You are a member of this team already"),
    },
  },
  withdrawRequest: {
    by: "self",
    event: "team-member-decline-request",
    from: { none: NO_MEMBER, invited: NO_MEMBER, requested: "none", member: NO_MEMBER },
  },
  confirmRequest: {
    by: "access-request:manage",
    event: "team-member-confirm-request",
    from: {
      none: NO_MEMBER,
      invited: refuse("not_requested", "this person is invited and never asked to join", CONFIRMED),
      requested: "member",
      member: refuse("already_confirmed", "this person is a confirmed member already", CONFIRMED),
    },
  },
  declineRequest: {
    by: "access-request:manage",
    event: "team-member-decline-request",
    from: { none: NO_MEMBER, invited: NO_MEMBER, requested: "none", member: NO_MEMBER },
  },
  declineInvitation: {
    by: "self",
    event: "team-member-delete",
    from: { none: NO_MEMBER, invited: "none", requested: NO_MEMBER, member: NO_MEMBER },
  },
  withdrawInvitation: {
    by: "invite:manage",
    event: "team-member-delete",
    from: { none: NO_MEMBER, invited: "none", requested: NO_MEMBER, member: NO_MEMBER },
  },
  change: {
    by: "member:manage",
    event: "team-member-role-update",
    from: {
      none: NO_MEMBER,
      invited: "invited",
      requested: refuse("already_requested", "is required, for this person has asked to join", CONFIRMED),
      member: "member",
    },
  },
  leave: {
    by: "self",
    event: "team-member-leave",
    from: { none: NO_MEMBER, invited: NO_MEMBER, requested: NO_MEMBER, member: "none" },
  },
  remove: {
    by: "member:manage",
    event: "team-member-delete",
    from: { none: NO_MEMBER, invited: NO_MEMBER, requested: NO_MEMBER, member: "none" },
  },
  admitByMapping: {
    by: "mapping",
    event: "team-member-join",
    from: { none: "member", invited: "member", requested: "member", member: ALREADY_MEMBER },
  },
  changeByMapping: {
    by: "mapping",
    event: "team-member-role-update",
    from: { none: NO_MEMBER, invited: NO_MEMBER, requested: NO_MEMBER, member: "member" },
  },
  removeByMapping: {
    by: "mapping",
    event: "team-member-delete",
    from: { none: NO_MEMBER, invited: NO_MEMBER, requested: NO_MEMBER, member: "none" },
  },
} as const satisfies Readonly<Record<string, Transition>>;
export type TransitionName = keyof typeof TRANSITIONS;

/** The status after a move; throws when it is refused. `asked` names the input that asked for it. */
export function requireTransition(move: TransitionName, from: MembershipStatus, asked?: string): MembershipStatus {
  const next: MembershipStatus | Refusal = TRANSITIONS[move].from[from];
  if (typeof next === "string") return next;
  const field = asked ?? next.field;
  throw field === undefined ? new ApiError(next.code, next.message) : fieldError(next.code, field, next.message);
}

const ENDINGS = {
  none: { self: "leave", other: "remove" },
  invited: { self: "declineInvitation", other: "withdrawInvitation" },
  requested: { self: "withdrawRequest", other: "declineRequest" },
  member: { self: "leave", other: "remove" },
} as const satisfies Readonly<
  Record<MembershipStatus, { readonly self: TransitionName; readonly other: TransitionName }>
>;

/** The move that `DELETE` makes from each status. */
export function endingOf(from: MembershipStatus, isSelf: boolean) {
  return ENDINGS[from][isSelf ? "self" : "other"];
}

/** Whether a move removes or demotes a confirmed OWNER, so that the team needs another one. */
export function losesOwner(
  before: { readonly status: MembershipStatus; readonly role: TeamRole },
  after: { readonly status: MembershipStatus; readonly role: TeamRole },
): boolean {
  const isOwner = ({ status, role }: typeof before) => status === "member" && role === "OWNER";
  return isOwner(before) && !isOwner(after);
}

export function requireOtherOwner(otherOwners: number): void {
  if (otherOwners === 0) {
    throw new ApiError("last_owner", "A team keeps at least one confirmed OWNER: make somebody else one first");
  }
}

const MAY_INVITE = permissionBit("invite:manage");

/** Whether a member could see join codes and no longer may; `after` is null when they are no longer a member. */
export function losesInviteCodes(before: TeamRole, after: TeamRole | null): boolean {
  const couldSee = (ROLE_MASK[before] & MAY_INVITE) !== 0;
  return couldSee && (after === null || (ROLE_MASK[after] & MAY_INVITE) === 0);
}

/** How a former member's membership ended. */
export interface FormerMember {
  readonly role: TeamRole;
  /** By a member of the team. */
  readonly isRemoved: boolean;
  /** It belonged to a role mapping, which brings them back when it fits. */
  readonly isMapped: boolean;
}

/** Whether a code would undo a removal or the end of a mapping, or by leaving and joining a demotion: then its holder can only ask. */
export function needsApproval(former: FormerMember | undefined, role: TeamRole): boolean {
  if (!former) return false;
  return former.isRemoved || former.isMapped || (ROLE_MASK[role] & ~ROLE_MASK[former.role]) !== 0;
}

/**
 * The role after a PATCH. The generated SDK fills in `role: "MEMBER"` whenever its user names none, so MEMBER beside
 * other changes is no wish when it would demote an OWNER or when it comes from that SDK. Alone it always counts, and
 * so does any other role.
 */
export function roleAfterUpdate(update: {
  readonly asked: TeamRole | undefined;
  readonly current: TeamRole;
  readonly isConfirmation: boolean;
  readonly hasOtherChanges: boolean;
  readonly isGeneratedSdk: boolean;
}): TeamRole {
  const { asked, current, isConfirmation, hasOtherChanges, isGeneratedSdk } = update;
  if (asked === undefined) return current;
  const isFilledIn = asked === "MEMBER" && hasOtherChanges && !isConfirmation;
  return isFilledIn && (current === "OWNER" || isGeneratedSdk) ? current : asked;
}
