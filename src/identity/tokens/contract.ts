// Access tokens: credentials of a user, for everything or limited to one team.
import { Type } from "typebox";
import { OneOf, defineContract } from "../../platform/kernel/contract.ts";
import { credentialQuery } from "../../platform/kernel/credential-filter.ts";
import { DRY_RUN, LIMITS_BODY, LIMITS_FIELDS } from "../../platform/kernel/limit-schema.ts";
import { MAX_TIME_MS } from "../../platform/kernel/scheduling/clock.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";
import { ProjectName } from "../../platform/kernel/project.ts";
import { EPOCH_MS } from "../../platform/kernel/units.ts";

/** `app`: a program asked for it, and its user approved it. */
const Origin = OneOf(["manual", "app"], { description: "How the token came to be." });

/** The scope of a token: everything of its user, or one team. */
const TokenScope = Type.Object({
  type: OneOf(["user", "team"]),
  teamId: Type.Optional(Type.String()),
  origin: Origin,
  createdAt: Type.Integer(),
  expiresAt: Type.Optional(Type.Integer()),
});

export const AccessToken = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: OneOf(["token"]),
    prefix: Type.String({ description: "How the value begins." }),
    suffix: Type.String({ description: "How the value ends." }),
    origin: Origin,
    scopes: Type.Array(TokenScope),
    teamId: Type.Optional(Type.String({ description: "The one team that the token is limited to." })),
    projectId: Type.Optional(Type.String({ description: "The one project that the token is limited to." })),
    ...LIMITS_FIELDS,
    createdAt: Type.Integer(),
    activeAt: Type.Integer({ description: "When it was last used, to the minute." }),
    expiresAt: Type.Optional(Type.Integer()),
  },
  { title: "AccessToken" },
);

const TokenParams = Type.Object({
  tokenId: Type.String({ maxLength: 64, description: "The token's id, or `current`." }),
});

// The public command line gives special help for exactly this message.
const TOKENS_ONLY = "Only user authentication tokens can be used to create new tokens.";
const NO_KEYS = "Not authorized: an API key can't see or delete its user's access tokens; use an access token";

export const tokensContract = defineContract({
  createToken: {
    method: "POST",
    path: "/v3/user/tokens",
    aliases: ["/user/tokens"],
    // Without the team, the token would be for everything of its account.
    acceptsEmptyTeam: false,
    tag: "Access tokens",
    gives: "credential",
    summary: "Create an access token",
    description:
      "With a team in the query, the token is limited to that team. Its value is shown here only. A user has at most " +
      "100 at a time (`REEVE_MAX_TOKENS`), beside expired ones. A token that is limited to permissions, projects, environments or " +
      "names is for its team, or else for the account's own things, and not for the person: it creates and sees no other tokens. " +
      "What limits it never changes.",
    access: { kind: "user", tokensOnly: TOKENS_ONLY, allowLimited: true },
    query: Type.Object({ dryRun: DRY_RUN }),
    body: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 256 }),
        projectId: Type.Optional(ProjectName("The only project that it knows, instead of `projects`.")),
        ...LIMITS_BODY,
        expiresAt: Type.Optional(
          Type.Integer({ ...EPOCH_MS, minimum: 0, maximum: MAX_TIME_MS, description: "ms, in the future" }),
        ),
      },
      { additionalProperties: false },
    ),
    example: { body: { name: "Build", projectId: "shop" } },
    returns: "The token with its value, which is shown here alone; of a dry run, what it would allow.",
    response: Type.Object({
      token: Type.Optional(AccessToken),
      bearerToken: Type.Optional(Type.String()),
      allows: Type.String({ description: "What it may do, in plain words. Of a dry run all that there is." }),
    }),
    errors: ["invalid_expiry", "too_many_tokens"],
    emits: ["user-token-created"],
  },
  listTokens: {
    method: "GET",
    path: "/v6/user/tokens",
    aliases: ["/v5/user/tokens", "/v3/user/tokens", "/user/tokens"],
    tag: "Access tokens",
    summary: "The user's access tokens",
    description: "A token that is limited to a team sees those of its user that are limited to the same team.",
    access: { kind: "user", tokensOnly: NO_KEYS },
    query: Type.Object({ ...PAGE_QUERY, ...credentialQuery(["active", "ending", "expired", "unused"]) }),
    example: { query: { state: "ending" } },
    response: Type.Object({ tokens: Type.Array(AccessToken), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  getToken: {
    method: "GET",
    path: "/v5/user/tokens/:tokenId",
    aliases: ["/v3/user/tokens/:tokenId", "/v6/user/tokens/:tokenId", "/user/tokens/:tokenId"],
    tag: "Access tokens",
    summary: "One access token",
    description: "A token with limits sees itself alone.",
    access: { kind: "user", tokensOnly: NO_KEYS, allowNarrow: true },
    params: TokenParams,
    response: Type.Object({ token: AccessToken }),
    errors: [],
    emits: [],
  },
  deleteToken: {
    method: "DELETE",
    path: "/v3/user/tokens/:tokenId",
    aliases: ["/v5/user/tokens/:tokenId", "/v6/user/tokens/:tokenId", "/user/tokens/:tokenId"],
    tag: "Access tokens",
    gives: "nothing",
    summary: "Delete an access token",
    description: "The next request with it is refused.",
    access: { kind: "user", tokensOnly: NO_KEYS, allowLimited: true, allowNarrow: true },
    params: TokenParams,
    returns: "The id of the token that was deleted.",
    response: Type.Object({ tokenId: Type.String() }),
    errors: [],
    emits: ["user-token-deleted"],
  },
});
