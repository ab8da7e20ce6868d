// API keys: principals of their own that belong to a team or to a user.
import { Type } from "typebox";
import { DAY_MS, MAX_TIME_MS } from "../../platform/kernel/scheduling/clock.ts";
import { Nullable, OneOf, defineContract } from "../../platform/kernel/contract.ts";
import { credentialQuery } from "../../platform/kernel/credential-filter.ts";
import { DRY_RUN, LIMITS_BODY, LIMITS_FIELDS } from "../../platform/kernel/limit-schema.ts";
import { IN_HANDLER } from "../../platform/kernel/limits.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";
import { TEAM_ROLES } from "../../platform/kernel/roles.ts";
import { EPOCH_MS, MS } from "../../platform/kernel/units.ts";

const MAX_OVERLAP_MS = DAY_MS;

export const ApiKey = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    ownerId: Type.String({ description: "The team or user that the key belongs to." }),
    role: OneOf(TEAM_ROLES, { description: "The most that the key may do." }),
    ...LIMITS_FIELDS,
    prefix: Type.String({ description: "How the value begins." }),
    suffix: Type.String({ description: "How the value ends." }),
    expiresAt: Nullable(Type.Integer()),
    activeAt: Type.Integer({ description: "When it was last used, to the minute." }),
    createdBy: Type.String({ description: "Id of the user or key that created it." }),
    createdAt: Type.Integer(),
    previousExpiresAt: Nullable(
      Type.Integer({ description: "Until when the value before the last rotation is valid." }),
    ),
    responsibleId: Nullable(
      Type.String({
        description:
          "Id of the user who answers for it: the key is suspended when that user loses a permission that it has.",
      }),
    ),
    suspendedAt: Nullable(Type.Integer({ description: "Since when it is refused, until it is adopted." })),
  },
  { title: "ApiKey" },
);

const KeyParams = Type.Object({ keyId: Type.String({ maxLength: 64 }) });
const NewKey = Type.Object({
  apiKey: ApiKey,
  value: Type.String({ description: "The key itself, shown here only." }),
});

const CreatedKey = Type.Object({
  apiKey: Type.Optional(ApiKey),
  value: Type.Optional(Type.String({ description: "The key itself, shown here only." })),
  allows: Type.String({ description: "What it may do, in plain words. Of a dry run all that there is." }),
});

const KEYS_ONLY =
  "Not authorized: this shows the API key that a request is made with, and this one was made with another credential; " +
  "GET /v5/user/tokens/current shows an access token";

export const apiKeysContract = defineContract({
  createApiKey: {
    method: "POST",
    path: "/v1/api-keys",
    tag: "API keys",
    gives: "credential",
    summary: "Create an API key",
    description:
      "It belongs to the team in the query, else to the caller's account, and is deleted with it. Send it as " +
      "`Authorization: Bearer` or `X-API-Key`. A key never administers the instance or its user's account. For a team's " +
      "key, and for keys that it creates, its creator answers: it is suspended when they lose a permission that it has. For a " +
      'gate, a process that enforces a firewall, create one with `permissions: ["gate:connect"]`. What limits it never changes: ' +
      "a key that may do something else is another key. A limited credential creates keys with the same limits or narrower ones.",
    access: { kind: "owner", permission: "api-key:manage" },
    limits: IN_HANDLER,
    query: Type.Object({ dryRun: DRY_RUN }),
    body: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 256 }),
        role: OneOf(TEAM_ROLES, { description: "The most that the key may do. It may do no more than its creator." }),
        ...LIMITS_BODY,
        expiresAt: Type.Optional(
          Nullable(Type.Integer({ ...EPOCH_MS, minimum: 0, maximum: MAX_TIME_MS, description: "ms, in the future" })),
        ),
      },
      { additionalProperties: false },
    ),
    example: {
      body: {
        name: "Deployments",
        role: "DEVELOPER",
        permissions: ["secret:read", "secret:reveal"],
        names: ["SHOP_*"],
        allowedCidrs: ["203.0.113.0/24"],
      },
    },
    returns: "The key with its value, which is shown here alone; of a dry run, what it would allow.",
    response: CreatedKey,
    errors: ["invalid_expiry", "role_exceeds_creator"],
    emits: ["user-token-created"],
  },
  listApiKeys: {
    method: "GET",
    path: "/v1/api-keys",
    tag: "API keys",
    summary: "The API keys of a team or account",
    access: { kind: "owner", permission: "api-key:read" },
    limits: IN_HANDLER,
    query: Type.Object({
      ...PAGE_QUERY,
      ...credentialQuery(["active", "ending", "expired", "unused", "suspended"]),
      role: Type.Optional(OneOf(TEAM_ROLES, { description: "Only those with this role." })),
      responsibleId: Type.Optional(
        Type.String({ maxLength: 64, description: "Only those for which this user answers." }),
      ),
    }),
    example: { query: { state: "ending", role: "DEVELOPER" } },
    response: Type.Object({ apiKeys: Type.Array(ApiKey), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  getCurrentApiKey: {
    method: "GET",
    path: "/v1/api-keys/current",
    tag: "API keys",
    summary: "The API key of the request",
    description:
      "What the key that the request is made with may do, until when, and whose it is; no permission is needed. `expiresAt` is the end " +
      "of the value that was sent, also of one that a rotation has replaced. An access token finds itself at " +
      "`GET /v5/user/tokens/current`; a session may do what its person may.",
    access: { kind: "key", keysOnly: KEYS_ONLY },
    response: Type.Object({ apiKey: ApiKey }),
    errors: [],
    emits: [],
  },
  getApiKey: {
    method: "GET",
    path: "/v1/api-keys/:keyId",
    tag: "API keys",
    summary: "One API key",
    access: { kind: "owner", permission: "api-key:read" },
    limits: IN_HANDLER,
    params: KeyParams,
    response: Type.Object({ apiKey: ApiKey }),
    errors: [],
    emits: [],
  },
  rotateApiKey: {
    method: "POST",
    path: "/v1/api-keys/:keyId/rotate",
    tag: "API keys",
    gives: "credential",
    summary: "Give an API key a new value",
    description:
      "The person who is shown the new value answers for a team's key from now on. A suspended key stays suspended.",
    access: { kind: "owner", permission: "api-key:manage" },
    limits: IN_HANDLER,
    protects: true,
    params: KeyParams,
    body: Type.Object(
      {
        overlapMs: Type.Optional(
          Type.Integer({
            ...MS,
            minimum: 0,
            maximum: MAX_OVERLAP_MS,
            description: "How long the old value stays valid; by default it stops at once.",
          }),
        ),
        force: Type.Optional(
          Type.Boolean({
            description: "Rotate also during the overlap of the last rotation; the value before last stops at once.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    isBodyOptional: true,
    example: { body: { overlapMs: 3_600_000 } },
    returns: "The key with its new value, which is shown here alone.",
    response: NewKey,
    errors: ["role_exceeds_creator", "rotation_pending", "revision_mismatch"],
    emits: ["user-token-created"],
  },
  adoptApiKey: {
    method: "POST",
    path: "/v1/api-keys/:keyId/adopt",
    tag: "API keys",
    gives: "credential",
    summary: "Answer for a team's API key",
    description:
      "A suspended key works again, and the caller answers for it from now on. Everyone who knows its value can use it, its " +
      "creator included: rotate it before. A working key may be adopted too, before its creator leaves.",
    access: { kind: "owner", permission: "member:manage" },
    params: KeyParams,
    response: Type.Object({ apiKey: ApiKey }),
    errors: ["role_exceeds_creator", "revision_mismatch"],
    emits: ["api-key-adopted"],
  },
  deleteApiKey: {
    method: "DELETE",
    path: "/v1/api-keys/:keyId",
    tag: "API keys",
    gives: "nothing",
    summary: "Delete an API key",
    description: "The next request with it is refused.",
    access: { kind: "owner", permission: "api-key:manage" },
    limits: IN_HANDLER,
    params: KeyParams,
    returns: "The id of the key that was deleted.",
    response: Type.Object({
      id: Type.String(),
      keyId: Type.String({ deprecated: true, description: "The same as `id`." }),
    }),
    errors: ["role_exceeds_creator", "revision_mismatch"],
    emits: ["user-token-deleted"],
  },
});
