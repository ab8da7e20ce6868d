// Trust rules of workload identity: which signed tokens of other issuers are exchanged for an API key that lives 15 minutes.
import { Type } from "typebox";
import { Nullable, OneOf, RecordOf, defineContract } from "../../platform/kernel/contract.ts";
import { DRY_RUN, LIMITS_BODY, LIMITS_CHANGE, LIMITS_FIELDS } from "../../platform/kernel/limit-schema.ts";
import { IN_HANDLER } from "../../platform/kernel/limits.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";
import { PERMISSIONS, TEAM_ROLES } from "../../platform/kernel/roles.ts";
import { MAX_IDENTIFYING_LENGTH } from "../../platform/kernel/text/identifying-value.ts";
import { ApiKey } from "../api-keys/contract.ts";

const TAG = "Workload identity";
const READ = { kind: "owner", permission: "api-key:read" } as const;
const WRITE = { kind: "owner", permission: "api-key:manage" } as const;

export const MAX_TRUST_RULES = 50;
/** Of the claims of a rule as JSON: it bounds the work for a token. */
export const MAX_CLAIMS_BYTES = 4_096;
export const MAX_TOKEN_LENGTH = 16_384;

const Scalar = Type.Union([Type.String({ minLength: 1, maxLength: 512 }), Type.Number(), Type.Boolean()]);
const Patterns = Type.Union([Scalar, Type.Array(Scalar, { minItems: 1, maxItems: 20 })]);
const Claims = RecordOf(Patterns, {
  minProperties: 1,
  maxProperties: 20,
  description:
    'Path of a claim (`sub`, `a.b`, `oidc.circleci.com/project-id`, or a list as `["kubernetes.io","namespace"]`) -> what it has to be: text, a number, a ' +
    "boolean, or a list of those of which one has to fit. In text, `*` is any characters but `/` and `:`, and `**` any; a rule has at most 20 of them. All claims have to fit.",
});

const Permissions = Type.Array(OneOf(PERMISSIONS), {
  minItems: 1,
  uniqueItems: true,
  description:
    "Permissions of the role that issued keys have; by default all that let nobody in and make no keys or webhooks.",
});

const WRITABLE = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  issuer: Type.String({
    minLength: 1,
    maxLength: MAX_IDENTIFYING_LENGTH,
    description: "Exactly the `iss` of its tokens.",
  }),
  audience: Type.String({
    minLength: 1,
    maxLength: MAX_IDENTIFYING_LENGTH,
    description:
      "Tokens have to be for this audience: choose one that nobody else accepts, such as the URL of this server.",
  }),
  claims: Claims,
  role: OneOf(TEAM_ROLES, { description: "The most that issued keys may do." }),
  singleUse: Type.Boolean({
    description: "A token is exchanged once, instead of as often as its work is tried again.",
  }),
};

export const IdentityTrust = Type.Object(
  {
    id: Type.String(),
    ownerId: Type.String(),
    ...WRITABLE,
    issuer: Type.String(),
    audience: Type.String(),
    claims: RecordOf(Patterns, { description: "Path of a claim -> what it has to be." }),
    ...LIMITS_FIELDS,
    permissions: Permissions,
    allows: Type.String({ description: "What an issued key may do, in plain words." }),
    responsibleId: Nullable(Type.String({ description: "Id of the user who answers for a rule of a team." })),
    suspendedAt: Nullable(Type.Integer({ description: "Since when it accepts no token, until it is adopted." })),
    activeAt: Nullable(Type.Integer({ description: "When it last exchanged a token, to the minute; null: not yet." })),
    createdBy: Type.String({ description: "Id of the user or key that created it." }),
    createdAt: Type.Integer(),
    updatedAt: Type.Integer(),
  },
  { title: "IdentityTrust" },
);

const Params = Type.Object({ trustId: Type.String({ maxLength: 64 }) });
const One = Type.Object({ trust: IdentityTrust });
const PATH = "/v1/identity/trusts";

const ExplainedClaim = Type.Object({
  claim: Type.String(),
  fits: Type.Boolean(),
  expected: Type.Array(Scalar),
  got: Nullable(Type.String({ description: "The claim as JSON; null: the token does not have it." })),
  hint: Nullable(
    Type.String({
      description: "What to change in the rule, if the token is signed by the issuer; null: nothing is known.",
    }),
  ),
});

const Check = Type.Object({
  check: Type.String({ description: "`form`, `issuer`, `signature`, `time` and so on." }),
  passes: Nullable(Type.Boolean({ description: "Null: it could not be looked at." })),
  text: Type.String(),
});

export const trustRulesContract = defineContract({
  createIdentityTrust: {
    method: "POST",
    path: PATH,
    tag: TAG,
    gives: "credential",
    summary: "Trust tokens of an issuer",
    description:
      "A token of this issuer that fits is exchanged for an API key of the team in the query, else of the caller's account, by " +
      "`POST /v1/identity/exchange`. The key lives 15 minutes and lets nobody in: it makes no keys, rules, members, invitations or webhooks. For a " +
      "team's rule its creator answers: it is suspended when they lose a permission that it gives. A limited credential makes rules whose " +
      "keys have the same limits or narrower ones. " +
      `A team or account has at most ${MAX_TRUST_RULES}.`,
    access: WRITE,
    limits: IN_HANDLER,
    query: Type.Object({ dryRun: DRY_RUN }),
    body: Type.Object(
      {
        ...WRITABLE,
        ...LIMITS_BODY,
        permissions: Type.Optional(Permissions),
        singleUse: Type.Optional(WRITABLE.singleUse),
      },
      { title: "IdentityTrustInput", additionalProperties: false },
    ),
    example: {
      body: {
        name: "Deployments of the shop",
        issuer: "https://token.actions.githubusercontent.com",
        audience: "https://reeve.example.com",
        claims: { sub: "repo:acme/shop:ref:refs/heads/main", repository_owner_id: "1234567" },
        role: "DEVELOPER",
        permissions: ["secret:read", "secret:reveal"],
        names: ["SHOP_*"],
      },
    },
    returns: "The trust rule; of a dry run, what its keys would be allowed.",
    response: Type.Object({
      trust: Type.Optional(IdentityTrust),
      allows: Type.String({
        description: "What an issued key may do, in plain words. Of a dry run all that there is.",
      }),
    }),
    errors: ["role_exceeds_creator", "too_many_trusts"],
    emits: ["identity-trust-created"],
  },
  listIdentityTrusts: {
    method: "GET",
    path: PATH,
    tag: TAG,
    summary: "The trust rules of a team or account",
    access: READ,
    limits: IN_HANDLER,
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({ trusts: Type.Array(IdentityTrust), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  getIdentityTrust: {
    method: "GET",
    path: `${PATH}/:trustId`,
    tag: TAG,
    summary: "One trust rule",
    access: READ,
    limits: IN_HANDLER,
    params: Params,
    response: One,
    errors: [],
    emits: [],
  },
  updateIdentityTrust: {
    method: "PATCH",
    path: `${PATH}/:trustId`,
    tag: TAG,
    gives: "credential",
    summary: "Change a trust rule, or answer for it",
    description:
      "Keys that were issued by it stop at once. The person who changes a team's rule answers for it from now on; `adopt` ends a suspension, and " +
      "a suspended rule stays suspended without it.",
    access: WRITE,
    limits: IN_HANDLER,
    params: Params,
    body: Type.Object(
      {
        name: Type.Optional(WRITABLE.name),
        issuer: Type.Optional(WRITABLE.issuer),
        audience: Type.Optional(WRITABLE.audience),
        claims: Type.Optional(WRITABLE.claims),
        role: Type.Optional(WRITABLE.role),
        ...LIMITS_CHANGE,
        permissions: Type.Optional(Permissions),
        singleUse: Type.Optional(WRITABLE.singleUse),
        adopt: Type.Optional(Type.Boolean({ description: "Answer for it, and end its suspension." })),
      },
      { additionalProperties: false },
    ),
    example: { body: { claims: { sub: "repo:acme/shop:environment:production" } } },
    response: One,
    errors: ["role_exceeds_creator", "revision_mismatch"],
    emits: ["identity-trust-updated"],
  },
  deleteIdentityTrust: {
    method: "DELETE",
    path: `${PATH}/:trustId`,
    tag: TAG,
    gives: "nothing",
    summary: "Delete a trust rule",
    description: "The next request with a key that was issued by it is refused.",
    access: WRITE,
    limits: IN_HANDLER,
    params: Params,
    returns: "The id of the trust rule that was deleted.",
    response: Type.Object({
      id: Type.String(),
      trustId: Type.String({ deprecated: true, description: "The same as `id`." }),
    }),
    errors: ["role_exceeds_creator", "revision_mismatch"],
    emits: ["identity-trust-deleted"],
  },
  listIssuedKeys: {
    method: "GET",
    path: `${PATH}/:trustId/keys`,
    tag: TAG,
    summary: "The keys that a trust rule issued and that still work",
    description: "Newest first. `DELETE /v1/api-keys/{keyId}` ends one before its 15 minutes are over.",
    access: READ,
    limits: IN_HANDLER,
    params: Params,
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({ apiKeys: Type.Array(ApiKey), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  explainIdentity: {
    method: "POST",
    path: "/v1/identity/explain",
    readsOnly: true,
    tag: TAG,
    gives: "nothing",
    summary: "Why a token is exchanged, or is not: claim by claim, for each trust rule",
    description: "The token is neither exchanged nor stored. Its signature is checked only if a rule names its issuer.",
    access: READ,
    limits: IN_HANDLER,
    body: Type.Object(
      { token: Type.String({ minLength: 1, maxLength: MAX_TOKEN_LENGTH, description: "The signed token (JWT)." }) },
      { additionalProperties: false },
    ),
    example: { body: { token: "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2V4YW1wbGUuY29tIn0.c2ln" } },
    response: Type.Object({
      accepted: Type.Boolean(),
      issuer: Nullable(Type.String()),
      subject: Nullable(Type.String()),
      audience: Nullable(Type.String({ description: "`aud` of the token as JSON, shortened; null: it has none." })),
      checks: Type.Array(Check, { description: "Of the token itself." }),
      trusts: Type.Array(
        Type.Object({
          id: Type.String(),
          name: Type.String(),
          fits: Type.Boolean(),
          suspended: Type.Boolean(),
          issuerFits: Type.Boolean(),
          audienceFits: Type.Boolean(),
          issuer: Type.String(),
          audience: Type.String(),
          claims: Type.Array(ExplainedClaim),
          permissions: Type.Array(OneOf(PERMISSIONS)),
          allows: Type.String({ description: "What an issued key may do, in plain words." }),
        }),
      ),
    }),
    errors: [],
    emits: [],
  },
});
