// Inviting people to a team, by account or e-mail address.
import type { Static } from "typebox";
import { Type } from "typebox";
import { OneOf, defineContract } from "../../../platform/kernel/contract.ts";
import {
  AccessGroups,
  PROJECT_ROLES,
  Role,
  TEAM_PERMISSIONS,
  TeamParams,
} from "../../../platform/kernel/membership.ts";
import { Email } from "../../../identity/accounts/contract.ts";

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
  code: Type.Optional(Type.String({ description: "The code to hand over; absent when it is sent by mail." })),
  inviteUrl: Type.Optional(
    Type.String({
      description:
        "The link to hand over; absent where `code` is, and where the server's address is not known (REEVE_PUBLIC_URL).",
    }),
  ),
});

export const invitePeopleContract = defineContract({
  inviteTeamMember: {
    method: "POST",
    path: "/v1/teams/:teamId/members",
    aliases: ["/v2/teams/:teamId/members", "/v3/teams/:teamId/members", "/teams/:teamId/members"],
    tag: "Invites",
    gives: "code",
    summary: "Invite people to a team",
    description:
      "One person as an object (role MEMBER by default), or up to 50 as an array (VIEWER by default), all or none. The " +
      "response is the first of them; for an array, `invited` has all. An address is invited alike whether or not it has " +
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
    example: { body: { email: "grace@example.com", role: "DEVELOPER" } },
    returns: "The first invitation, and all of them where several people were invited.",
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
});
