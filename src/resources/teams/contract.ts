// Teams.
import Type from "typebox";
import { defineContract } from "../../kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../kernel/pagination.ts";
import { Team } from "./team-schema.ts";

// Judged by the verb and not here, so that a slug in the wrong form has an error code of its own.
const Slug = Type.String({
  description: "1 to 48 characters of a-z, 0-9, - and _ that begin with a letter; unique, and not a reserved word.",
});

const TeamPath = Type.Object({ teamId: Type.String({ description: "Id or slug" }) });
const ShortText = Type.Optional(Type.String({ maxLength: 2048 }));

export const teamsContract = defineContract({
  listTeams: {
    method: "GET",
    path: "/v2/teams",
    aliases: ["/v1/teams", "/teams"],
    tag: "Teams",
    summary: "List the teams that the caller is a confirmed member of, newest first",
    description:
      "A credential of one team sees the user's other teams in their limited form; a team's API key sees its team.",
    access: { kind: "owner", permission: "team:read" },
    query: Type.Object({
      ...PAGE_QUERY,
      next: Type.Optional(
        Type.Number({ ...PAGE_QUERY.until, description: "Another name of `until`, which some clients send." }),
      ),
    }),
    response: Type.Object({ teams: Type.Array(Team), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  createTeam: {
    method: "POST",
    path: "/v1/teams",
    aliases: ["/teams"],
    tag: "Teams",
    summary: "Create a team, whose first OWNER is the caller",
    access: { kind: "user" },
    body: Type.Object(
      {
        slug: Slug,
        name: Type.Optional(
          Type.String({ minLength: 1, maxLength: 256, description: "For people; the slug by default." }),
        ),
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
            { additionalProperties: false, description: "Sent by public clients; accepted and not kept." },
          ),
        ),
      },
      { additionalProperties: false },
    ),
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
    access: { kind: "team", permission: "team:read", allowLimited: true },
    params: TeamPath,
    response: Team,
    errors: [],
    emits: [],
  },
});
