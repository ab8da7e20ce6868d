// Invitations: of people, by account or e-mail address, and by codes that are passed on.
import type { Static } from "typebox";
import { Type } from "typebox";
import { Nullable, OneOf, defineContract } from "../../kernel/contract.ts";
import { AccessGroups, PROJECT_ROLES, TEAM_PERMISSIONS } from "../../kernel/membership.ts";
import { PAGE_QUERY, Pagination } from "../../kernel/pagination.ts";
import { Role, TeamId, TeamParams } from "../members/contract.ts";
import { Email } from "../users/contract.ts";

export const INVITE_STATUSES = ["active", "expired", "used_up"] as const;

/** One invitation; `uid` beats `email`. */
const Invitee = Type.Object(
  {
    uid: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Id of an account." })),
    email: Type.Optional(Email),
    role: Type.Optional(Role),
    projects: Type.Optional(
      Type.Array(
        Type.Object(
          { projectId: Type.String({ minLength: 1, maxLength: 64 }), role: OneOf(PROJECT_ROLES) },
          { additionalProperties: false },
        ),
        { maxItems: 100 },
      ),
    ),
    accessGroups: Type.Optional(AccessGroups),
  },
  { additionalProperties: false },
);
export type Invitee = Static<typeof Invitee>;

const MAX_INVITEES = 50;

const Invited = Type.Object({
  uid: Type.String({ description: "Id of the invitation; of the account where it was given." }),
  username: Type.String({ description: "The address or id that was given." }),
  email: Type.String({ description: "The address that was given, or nothing." }),
  role: Role,
  teamRoles: Type.Array(Role),
  teamPermissions: Type.Array(OneOf(TEAM_PERMISSIONS)),
  code: Type.Optional(Type.String({ description: "The code to hand over; absent where it travels by mail." })),
});

/** An invitation of an address, or a shareable code. The code itself is shown once. */
const Invite = Type.Object(
  {
    id: Type.String(),
    kind: OneOf(["email", "code"]),
    email: Nullable(Type.String({ description: "The only address that may use it." })),
    role: Role,
    status: OneOf(INVITE_STATUSES),
    expired: Type.Optional(Type.Literal(true)),
    suffix: Type.String({ description: "Last characters of the code." }),
    maxUses: Nullable(Type.Integer()),
    uses: Type.Integer(),
    expiresAt: Type.Integer({ description: "ms since the epoch" }),
    createdAt: Type.Integer(),
    updatedAt: Type.Integer(),
    createdBy: Type.String({ description: "Id of the account or API key." }),
  },
  { title: "Invite" },
);

const InviteWithCode = Type.Object({
  invite: Invite,
  code: Type.Optional(Type.String({ description: "Shown once; absent where it travels by mail." })),
});

export const invitesContract = defineContract({
  inviteTeamMember: {
    method: "POST",
    path: "/v1/teams/:teamId/members",
    aliases: ["/v2/teams/:teamId/members", "/v3/teams/:teamId/members", "/teams/:teamId/members"],
    tag: "Invites",
    summary: "Invite people to a team",
    description:
      "One person as an object (role MEMBER by default), or up to 50 as an array (VIEWER by default), all or none. The " +
      "answer is the first of them; for an array, `invited` holds all. An address is invited alike whether or not it has " +
      "an account: its owner joins by the code, or with an account by the team's id, within 7 days. Nothing is shown of " +
      "an account but the id or address that was given, until it has joined.",
    access: { kind: "team", permission: "invite:manage" },
    params: TeamParams,
    // One schema for both forms: keywords for objects and for arrays each apply to their own kind.
    body: Type.Unsafe<Invitee | Invitee[]>({
      ...Invitee,
      type: ["object", "array"],
      items: Invitee,
      minItems: 1,
      maxItems: MAX_INVITEES,
    }),
    response: Type.Object({ ...Invited.properties, invited: Type.Optional(Type.Array(Invited)) }),
    errors: [
      "too_many_mails",
      "user_not_found",
      "already_member",
      "already_invited",
      "already_requested",
      "too_many_invitations",
    ],
    emits: ["team-member-add"],
  },
  createInvite: {
    method: "POST",
    path: "/v1/teams/:teamId/invites",
    tag: "Invites",
    summary: "Create a shareable invite code",
    description:
      "Whoever holds the code joins this team with the invite's role. The code is shown in this answer alone.",
    access: { kind: "team", permission: "invite:manage" },
    params: TeamParams,
    body: Type.Object(
      {
        role: Type.Optional(Role),
        email: Type.Optional(Email),
        maxUses: Type.Optional(
          Type.Unsafe<number | null>({
            type: ["integer", "null"],
            minimum: 1,
            maximum: 1_000_000,
            description: "How many people may join; without it, any number (one when `email` is given).",
          }),
        ),
        expiresAt: Type.Optional(
          Type.Integer({ description: "ms since the epoch; in 7 days by default, in a year at most." }),
        ),
      },
      { additionalProperties: false },
    ),
    isBodyOptional: true,
    response: InviteWithCode,
    errors: ["invalid_expiry"],
    emits: ["team-invite-link-created"],
  },
  listInvites: {
    method: "GET",
    path: "/v1/teams/:teamId/invites",
    tag: "Invites",
    summary: "List a team's invitations by e-mail and its shareable codes",
    description: "Newest first, expired and used up ones included. Codes are not shown.",
    access: { kind: "team", permission: "invite:read" },
    params: TeamParams,
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({ invites: Type.Array(Invite), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  resendInvite: {
    method: "POST",
    path: "/v1/teams/:teamId/invites/:inviteId/resend",
    tag: "Invites",
    summary: "Renew an invite",
    description: "Gives it another code and 7 more days; the old code no longer works.",
    access: { kind: "team", permission: "invite:manage" },
    params: Type.Object({ ...TeamParams.properties, inviteId: Type.String() }),
    response: InviteWithCode,
    errors: ["too_many_mails", "invite_used_up", "revision_mismatch"],
    emits: ["team-invite-link-created"],
  },
  deleteInvite: {
    method: "DELETE",
    path: "/v1/teams/:teamId/invites/:inviteCode",
    aliases: ["/v2/teams/:teamId/invites/:inviteCode", "/teams/:teamId/invites/:inviteCode"],
    tag: "Invites",
    summary: "Revoke an invite",
    description: "By its id or by its code.",
    access: { kind: "team", permission: "invite:manage" },
    params: Type.Object({ ...TeamParams.properties, inviteCode: Type.String() }),
    response: TeamId,
    errors: ["revision_mismatch"],
    emits: ["team-invite-link-deleted"],
  },
});
