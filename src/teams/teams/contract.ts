// Teams.
import { Type } from "typebox";
import { defineContract } from "../../platform/kernel/contract.ts";
import { MAX_LIMIT, PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";
import { Reasons } from "../../identity/accounts/contract.ts";
import { JOIN_LINK, Slug, TeamName, TeamPatch } from "./patch-schema.ts";
import { Team } from "./team-schema.ts";

const TeamPath = Type.Object({ teamId: Type.String({ description: "Id or slug" }) });
const ShortText = Type.Optional(Type.String({ maxLength: 2048 }));

const TeamListQuery = Type.Object({
  ...PAGE_QUERY,
  next: Type.Optional(
    Type.Number({ ...PAGE_QUERY.until, description: "Another name of `until`, which some clients send." }),
  ),
});
const TeamList = Type.Object({ teams: Type.Array(Team), pagination: Pagination });

export const teamsContract = defineContract({
  listTeams: {
    method: "GET",
    path: "/v2/teams",
    acceptsEmptyTeam: true,
    tag: "Teams",
    summary: "List the teams that the caller is a confirmed member of, newest first",
    description:
      "A credential of one team sees the user's other teams in their limited form; a team's API key sees its team.",
    access: { kind: "owner", permission: "team:read" },
    query: TeamListQuery,
    response: TeamList,
    errors: ["invalid_cursor"],
    emits: [],
  },
  // Clients that call it look for a team by its slug in the first page and ask for no other.
  listTeamsForLookup: {
    method: "GET",
    path: "/v1/teams",
    aliases: ["/teams"],
    tag: "Teams",
    summary: "List the caller's teams like `GET /v2/teams`, on a page that is as long as it may be by default",
    access: { kind: "owner", permission: "team:read" },
    query: Type.Object({
      ...TeamListQuery.properties,
      limit: Type.Optional(
        Type.Integer({ ...PAGE_QUERY.limit, description: `Items per page; ${MAX_LIMIT} by default.` }),
      ),
    }),
    response: TeamList,
    errors: ["invalid_cursor"],
    emits: [],
  },
  createTeam: {
    method: "POST",
    path: "/v1/teams",
    aliases: ["/teams"],
    tag: "Teams",
    gives: "nothing",
    summary: "Create a team, whose first OWNER is the caller",
    description:
      "The name is the slug when none is given. A repeated request (`Idempotency-Key`) gets the response without `inviteCode`, which " +
      "`getTeam` shows to those who may see it.",
    access: { kind: "user" },
    sharesTransaction: true,
    notReplayed: ["inviteCode"],
    body: Type.Object(
      {
        slug: Slug,
        name: Type.Optional(TeamName),
        ...Type.Partial(Type.Object(JOIN_LINK)).properties,
        attribution: Type.Optional(
          Type.Object(
            {
              sessionReferrer: ShortText,
              landingPage: ShortText,
              pageBeforeConversionPage: ShortText,
              utm: Type.Optional(
                Type.Object(
                  { utmSource: ShortText, utmMedium: ShortText, utmCampaign: ShortText, utmTerm: ShortText },
                  { additionalProperties: false },
                ),
              ),
            },
            { additionalProperties: false, description: "Sent by public clients; accepted and not stored." },
          ),
        ),
      },
      { additionalProperties: false },
    ),
    example: { body: { slug: "acme", name: "Acme" } },
    response: Team,
    errors: ["invalid_slug", "reserved_slug", "slug_taken"],
    emits: ["team"],
  },
  getTeam: {
    method: "GET",
    path: "/v2/teams/:teamId",
    aliases: ["/v1/teams/:teamId", "/teams/:teamId"],
    tag: "Teams",
    summary: "Get a team by id or slug",
    description: "A user who is invited, or has asked to join, sees its limited form.",
    access: { kind: "team", permission: "team:read", allowLimited: true, allowPending: true },
    readsOwnerOnly: true,
    params: TeamPath,
    response: Team,
    errors: [],
    emits: [],
  },
  updateTeam: {
    method: "PATCH",
    path: "/v2/teams/:teamId",
    aliases: ["/v1/teams/:teamId", "/teams/:teamId"],
    tag: "Teams",
    gives: { what: "code", when: "handler" },
    summary: "Change a team",
    description:
      "Only what really changes is recorded, and a request that changes nothing leaves the revision as it is.",
    access: { kind: "team", permission: "team:update" },
    changesOwnerOnly: true,
    sharesTransaction: true,
    params: TeamPath,
    body: TeamPatch,
    example: { body: { name: "Acme Ltd", description: "Everything for road runners" } },
    response: Team,
    errors: ["invalid_slug", "reserved_slug", "slug_taken", "revision_mismatch"],
    emits: [
      "team-name-update",
      "team-slug-update",
      "team-avatar-update",
      "team-email-domain-update",
      "team-remote-caching-update",
      "team-saml-enforced",
      "team-saml-roles",
      "team-collaboration-settings-updated",
      "team-invite-code-reset",
    ],
  },
  deleteTeam: {
    method: "DELETE",
    path: "/v1/teams/:teamId",
    aliases: ["/v2/teams/:teamId", "/teams/:teamId"],
    tag: "Teams",
    gives: "removal",
    summary: "Delete a team and everything in it",
    description: "Its slug becomes free. Its events stay, for administrators.",
    access: { kind: "team", permission: "team:delete" },
    params: TeamPath,
    query: Type.Object({
      newDefaultTeamId: Type.Optional(
        Type.String({ description: "Id or slug of another team of the caller, as the default one from now on." }),
      ),
    }),
    body: Type.Object({ reasons: Type.Optional(Reasons) }, { additionalProperties: false }),
    isBodyOptional: true,
    example: { body: { reasons: [{ slug: "unused", description: "The project has ended." }] } },
    returns: "The id of the team that is being deleted.",
    response: Type.Object({
      id: Type.String(),
      newDefaultTeamIdError: Type.Optional(
        Type.Boolean({
          description: "The default team was not switched: `newDefaultTeamId` is no other team of the caller.",
        }),
      ),
    }),
    errors: ["revision_mismatch"],
    emits: ["team-delete", "user-updated"],
  },
});
