// Invitations of people, once they are made, and shareable codes. Inviting people is in members/.
import { Type } from "typebox";
import { Nullable, OneOf, defineContract } from "../../platform/kernel/contract.ts";
import { Role, TeamId, TeamParams } from "../../platform/kernel/membership.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";
import { Email } from "../../identity/accounts/contract.ts";
import { EPOCH_MS } from "../../platform/kernel/units.ts";

export const INVITE_STATUSES = ["active", "expired", "used_up"] as const;

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
  code: Type.Optional(Type.String({ description: "Shown once; absent when it is sent by mail." })),
  inviteUrl: Type.Optional(
    Type.String({
      description:
        "The link to hand over; absent where `code` is, and where the server's address is not known (REEVE_PUBLIC_URL).",
    }),
  ),
});

export const invitesContract = defineContract({
  createInvite: {
    method: "POST",
    path: "/v1/teams/:teamId/invites",
    tag: "Invites",
    gives: "code",
    summary: "Create a shareable invite code",
    description: "A person who has the code joins this team with the invite's role. Only this response shows the code.",
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
            description: "The number of people who may join; without it, any number (one when `email` is given).",
          }),
        ),
        expiresAt: Type.Optional(
          Type.Integer({ ...EPOCH_MS, description: "ms since the epoch; in 7 days by default, in a year at most." }),
        ),
      },
      { additionalProperties: false },
    ),
    isBodyOptional: true,
    example: { body: { role: "VIEWER", maxUses: 5 } },
    returns: "The invite with its code, which is shown here alone.",
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
    gives: "code",
    summary: "Renew an invite",
    description: "The invitation gets another code and 7 more days; the old code no longer works.",
    access: { kind: "team", permission: "invite:manage" },
    params: Type.Object({ ...TeamParams.properties, inviteId: Type.String() }),
    returns: "The invite with its new code, which is shown here alone.",
    response: InviteWithCode,
    errors: ["too_many_mails", "invite_used_up", "revision_mismatch"],
    emits: ["team-invite-link-created"],
  },
  deleteInvite: {
    method: "DELETE",
    path: "/v1/teams/:teamId/invites/:inviteCode",
    aliases: ["/v2/teams/:teamId/invites/:inviteCode", "/teams/:teamId/invites/:inviteCode"],
    tag: "Invites",
    gives: "nothing",
    summary: "Revoke an invite",
    description: "By its id or by its code.",
    access: { kind: "team", permission: "invite:manage" },
    params: Type.Object({ ...TeamParams.properties, inviteCode: Type.String() }),
    returns: "The id of the team.",
    response: TeamId,
    errors: ["revision_mismatch"],
    emits: ["team-invite-link-deleted"],
  },
});
