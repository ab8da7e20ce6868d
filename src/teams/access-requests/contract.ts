// Access requests: asking to join a team, and reading a request's state. Confirming and declining are changes of the member
// (PATCH and DELETE), because clients know them so.
import { Type } from "typebox";
import { OneOf, defineContract } from "../../platform/kernel/contract.ts";
import { JoinedFrom, TeamParams } from "../../platform/kernel/membership.ts";

const REQUEST_ORIGINS = ["import", "teams", "github", "gitlab", "bitbucket", "feedback", "organization-teams"] as const;

const Short = Type.Optional(Type.String({ maxLength: 256 }));

const GitAccount = Type.Unsafe<{ login?: string } | null>({
  type: ["object", "null"],
  properties: { login: { type: "string" } },
});

const AccessRequest = Type.Object(
  {
    teamSlug: Type.String(),
    teamName: Type.String(),
    confirmed: Type.Boolean(),
    joinedFrom: JoinedFrom,
    accessRequestedAt: Type.Integer({ description: "ms since the epoch" }),
    github: GitAccount,
    gitlab: GitAccount,
    bitbucket: GitAccount,
  },
  { title: "AccessRequest" },
);

export const accessRequestsContract = defineContract({
  requestAccess: {
    method: "POST",
    path: "/v1/teams/:teamId/request",
    aliases: ["/v2/teams/:teamId/request", "/teams/:teamId/request"],
    tag: "Access requests",
    gives: "nothing",
    summary: "Ask to join a team",
    description:
      "At most 100 requests may be open per team. A person who was declined may ask again after 24 hours, one who withdrew after one hour; an invited person " +
      "joins instead.",
    access: { kind: "known-team" },
    params: TeamParams,
    body: Type.Object(
      {
        joinedFrom: Type.Optional(
          Type.Object(
            {
              origin: OneOf(REQUEST_ORIGINS),
              commitId: Short,
              repoId: Short,
              repoPath: Short,
              gitUserId: Type.Optional(Type.Unsafe<string | number>({ type: ["string", "number"], maxLength: 256 })),
              gitUserLogin: Short,
            },
            { additionalProperties: false },
          ),
        ),
      },
      { additionalProperties: false },
    ),
    isBodyOptional: true,
    example: { body: { joinedFrom: { origin: "github", gitUserLogin: "grace" } } },
    response: AccessRequest,
    errors: ["already_member", "already_requested", "already_invited", "request_declined", "too_many_access_requests"],
    emits: ["team-member-request-access"],
  },
  getOwnAccessRequest: {
    method: "GET",
    path: "/v1/teams/:teamId/request",
    aliases: ["/v2/teams/:teamId/request", "/teams/:teamId/request"],
    tag: "Access requests",
    summary: "The caller's own request to join a team",
    access: { kind: "known-team" },
    params: TeamParams,
    response: AccessRequest,
    errors: ["already_member"],
    emits: [],
  },
  getAccessRequest: {
    method: "GET",
    path: "/v1/teams/:teamId/request/:userId",
    aliases: ["/v2/teams/:teamId/request/:userId", "/teams/:teamId/request/:userId"],
    tag: "Access requests",
    summary: "A user's request to join a team",
    description: "The caller's own; any user's for callers who may confirm it.",
    access: { kind: "known-team", others: "access-request:manage" },
    params: Type.Object({ ...TeamParams.properties, userId: Type.String({ description: "Id of the account." }) }),
    response: AccessRequest,
    errors: ["already_member"],
    emits: [],
  },
});
