// The members of a team, its invitations and its access requests; joining and leaving.
import { Type } from "typebox";
import { OneOf, RecordOf, defineContract } from "../../platform/kernel/contract.ts";
import { EXACT_UP_TO, MOST_COUNTED } from "../../platform/kernel/counts.ts";
import {
  AccessGroups,
  JOIN_ORIGINS,
  PROJECT_ROLES,
  Role,
  TEAM_PERMISSIONS,
  TeamId,
  TeamParams,
} from "../../platform/kernel/membership.ts";
import type { ProjectRole } from "../../platform/kernel/membership.ts";
import { EmailInvite, Member } from "./member-schema.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";
import { NEXT_CURSOR, sortedQuery } from "../../platform/kernel/sorted-pagination.ts";

const MemberParams = Type.Object({
  ...TeamParams.properties,
  uid: Type.String({ description: "`uid` of the list of members." }),
});
const Joined = Type.Object({
  teamId: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  from: OneOf(JOIN_ORIGINS),
  confirmed: Type.Optional(
    Type.Literal(false, { description: "The code made an access request, which waits to be confirmed." }),
  ),
  accessRequestedAt: Type.Optional(Type.Integer({ description: "ms since the epoch" })),
});

const InviteCode = Type.String({ minLength: 1, maxLength: 128 });
const JOIN_ERRORS = [
  "already_member",
  "not_invited",
  "invite_unknown",
  "invite_expired",
  "invite_used_up",
  "invite_revoked",
  "invite_wrong_email",
  "invite_wrong_team",
  "already_invited",
  "already_requested",
  "request_declined",
  "too_many_access_requests",
] as const;

export const membersContract = defineContract({
  listTeamMembers: {
    method: "GET",
    path: "/v2/teams/:teamId/members",
    aliases: ["/v3/teams/:teamId/members", "/v1/teams/:teamId/members", "/teams/:teamId/members"],
    tag: "Members",
    summary: "List the members of a team",
    description:
      "Newest first, pending ones included: those who asked to join (`accessRequestedAt`), and for callers who may read " +
      "invites the invited. " +
      "Of an invited person it shows only what the inviter gave. `emailInviteCodes` holds the newest 100 invitations of " +
      "addresses once more, with the ids by which they are withdrawn, on the first page. " +
      "The uid of an accepted invitation finds the account that accepted it. " +
      "With filters, a page may hold fewer than `limit` while it leads to another. With `sort`, `cursor` leads on in place of " +
      "`pagination`. The invited come first then, in every order, the newest first. By `name`, who has none is sorted by the username. " +
      "Roles come in the order in which `role` lists them, and of one role the newest is first.",
    access: { kind: "team", permission: "member:read" },
    readsOwnerOnly: true,
    params: TeamParams,
    query: Type.Object({
      ...PAGE_QUERY,
      withActivity: Type.Optional(Type.Boolean({ description: "Also returns `activeAt`." })),
      withRoleCounts: Type.Optional(Type.Boolean({ description: "Also returns `roleCounts`." })),
      search: Type.Optional(
        Type.String({
          maxLength: 256,
          description:
            "Part of a name, username or e-mail, without regard to case and accents; with one or two characters, the beginning of a word of these. A domain may be in its own script.",
        }),
      ),
      role: Type.Optional(Role),
      excludeProject: Type.Optional(
        Type.String({ maxLength: 256, description: "Only people without a role in this project." }),
      ),
      eligibleMembersForProjectId: Type.Optional(
        Type.String({ maxLength: 256, description: "Only confirmed members without a role in this project." }),
      ),
      accessRequested: Type.Optional(
        Type.Boolean({ description: "`true`: only those who ask to join, of whom a team has at most 100." }),
      ),
      filterByUserIds: Type.Optional(
        Type.Array(Type.String({ maxLength: 4_096 }), {
          maxItems: 100,
          description: "Only these accounts; repeated or separated by commas, at most 100.",
        }),
      ),
      ...sortedQuery(["name", "role", "createdAt"], "the newest member is first"),
    }),
    example: { query: { search: "grace", role: "DEVELOPER", sort: "name" } },
    response: Type.Object({
      members: Type.Array(Member),
      emailInviteCodes: Type.Array(EmailInvite),
      roleCounts: Type.Optional(
        RecordOf(Type.Integer({ minimum: 0, maximum: MOST_COUNTED + 1 }), {
          description: `Only with \`withRoleCounts\`: how many members have each role, whatever the filters. ${EXACT_UP_TO}`,
        }),
      ),
      pagination: Type.Object({ hasNext: Type.Boolean(), ...Pagination.properties }),
      ...NEXT_CURSOR,
    }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  getTeamMember: {
    method: "GET",
    path: "/v1/teams/:teamId/members/:uid",
    aliases: ["/v2/teams/:teamId/members/:uid", "/v3/teams/:teamId/members/:uid", "/teams/:teamId/members/:uid"],
    tag: "Members",
    summary: "Get one member of a team",
    description: "Pending ones too, as in the list.",
    access: { kind: "team", permission: "member:read" },
    readsOwnerOnly: true,
    params: MemberParams,
    response: Member,
    errors: ["member_not_found"],
    emits: [],
  },
  listMemberProjects: {
    method: "GET",
    path: "/v1/teams/:teamId/members/:uid/projects",
    aliases: ["/v2/teams/:teamId/members/:uid/projects", "/teams/:teamId/members/:uid/projects"],
    tag: "Members",
    summary: "List the projects that a member has a role in",
    access: { kind: "team", permission: "member:read" },
    params: MemberParams,
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({
      projects: Type.Array(Type.Object({ projectId: Type.String(), role: OneOf(PROJECT_ROLES) })),
      pagination: Pagination,
    }),
    errors: ["member_not_found", "invalid_cursor"],
    emits: [],
  },
  joinTeam: {
    method: "POST",
    path: "/v1/teams/join",
    aliases: ["/v2/teams/join", "/v3/teams/join", "/teams/join"],
    tag: "Members",
    gives: "nothing",
    summary: "Join a team",
    description:
      "With an invite code (the team's own link, a shareable code, or the code of an invitation by e-mail), or, when " +
      "invited, with the team's id or slug. The code decides the role, also for somebody who is invited personally or " +
      "whose access request is open. A person who was removed from the team, or left it with a role that may do less, asks for " +
      "access with a code that is passed on (`confirmed: false`). `from` says how: `link` for codes that are passed on, `mail` for invitations by e-mail.",
    access: { kind: "user" },
    body: Type.Object(
      {
        inviteCode: Type.Optional(InviteCode),
        teamId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Id or slug of the team." })),
      },
      { additionalProperties: false },
    ),
    example: { body: { teamId: "acme" } },
    returns: "The team, and whether the caller is a member of it now.",
    response: Joined,
    errors: JOIN_ERRORS,
    emits: ["team-member-join", "team-member-request-access"],
  },
  joinNamedTeam: {
    method: "POST",
    path: "/v1/teams/:teamId/members/teams/join",
    aliases: [
      "/v2/teams/:teamId/members/teams/join",
      "/v3/teams/:teamId/members/teams/join",
      "/teams/:teamId/members/teams/join",
    ],
    tag: "Members",
    gives: "nothing",
    summary: "Join the team in the path",
    description: "As `POST /v1/teams/join`; a code must be this team's. Generated clients call this path.",
    access: { kind: "known-team" },
    params: TeamParams,
    body: Type.Object({ inviteCode: Type.Optional(InviteCode) }, { additionalProperties: false }),
    isBodyOptional: true,
    example: { body: { inviteCode: "2mXw4Tn9KfLbR7Gq5VcYhJdP" } },
    returns: "The team, and whether the caller is a member of it now.",
    response: Joined,
    errors: JOIN_ERRORS,
    emits: ["team-member-join", "team-member-request-access"],
  },
  updateTeamMember: {
    method: "PATCH",
    path: "/v1/teams/:teamId/members/:uid",
    aliases: ["/v2/teams/:teamId/members/:uid", "/v3/teams/:teamId/members/:uid", "/teams/:teamId/members/:uid"],
    tag: "Members",
    gives: "membership",
    summary: "Change a member, or confirm an access request",
    description:
      'Generated clients fill in `role: "MEMBER"` whenever none is named. So MEMBER beside other changes is not taken ' +
      "as a wish when the person is an OWNER, or when such a client sends it; alone it always is. With `confirmed: true` " +
      "the role is the one to grant, MEMBER when absent.",
    access: { kind: "team", permission: "member:manage" },
    params: MemberParams,
    body: Type.Object(
      {
        confirmed: Type.Optional(Type.Literal(true, { description: "Confirms an access request." })),
        role: Type.Optional(Role),
        teamPermissions: Type.Optional(
          Type.Array(OneOf(TEAM_PERMISSIONS), { maxItems: TEAM_PERMISSIONS.length, description: "Replaces them all." }),
        ),
        projects: Type.Optional(
          Type.Array(
            Type.Object(
              {
                projectId: Type.String({ minLength: 1, maxLength: 256 }),
                role: Type.Unsafe<ProjectRole | null>({ type: ["string", "null"], enum: [...PROJECT_ROLES, null] }),
              },
              { additionalProperties: false },
            ),
            { maxItems: 100, description: "Roles to give in projects; a role of null takes it away." },
          ),
        ),
        joinedFrom: Type.Optional(
          Type.Object(
            { ssoUserId: Type.Null() },
            { additionalProperties: false, description: "Unlinks single sign-on." },
          ),
        ),
        accessGroupsToAdd: Type.Optional(AccessGroups),
        accessGroupsToRemove: Type.Optional(AccessGroups),
      },
      { additionalProperties: false },
    ),
    example: { body: { role: "SECURITY" } },
    returns: "The id of the team.",
    response: TeamId,
    errors: [
      "member_not_found",
      "already_confirmed",
      "already_requested",
      "not_requested",
      "no_sso_link",
      "last_owner",
      "too_many_projects",
      "revision_mismatch",
    ],
    emits: [
      "team-member-role-update",
      "team-member-confirm-request",
      "api-keys-suspended",
      "identity-trusts-suspended",
    ],
  },
  removeTeamMember: {
    method: "DELETE",
    path: "/v1/teams/:teamId/members/:uid",
    aliases: ["/v2/teams/:teamId/members/:uid", "/v3/teams/:teamId/members/:uid", "/teams/:teamId/members/:uid"],
    tag: "Members",
    gives: "nothing",
    summary: "Remove a member, leave, or end an invitation or access request",
    description:
      "With the caller's own id it leaves the team, declines the invitation or withdraws the request, and needs no permission. " +
      "`newDefaultTeamId` counts when leaving: the team, of which one must be a member, becomes the default.",
    access: { kind: "known-team", others: "member:manage" },
    params: MemberParams,
    query: Type.Object({ newDefaultTeamId: Type.Optional(Type.String({ maxLength: 64 })) }),
    returns: "The id of the team.",
    response: TeamId,
    errors: ["member_not_found", "last_owner", "default_team_not_member", "revision_mismatch"],
    emits: [
      "team-member-leave",
      "team-member-delete",
      "team-member-decline-request",
      "api-keys-suspended",
      "identity-trusts-suspended",
    ],
  },
});
