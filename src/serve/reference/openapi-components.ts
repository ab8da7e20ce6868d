// The parts of the OpenAPI document that endpoints share: tags, headers, parameters, errors, and the form of callbacks.
import type { Callback, Endpoint } from "../../platform/kernel/contract.ts";
import { groupByStatus } from "../../platform/operations/endpoint-details.ts";
import { EXAMPLE_TEAM } from "./endpoint-examples.ts";
import { HTTP_ERRORS } from "../../platform/kernel/http-errors.ts";

export type Json = Readonly<Record<string, unknown>>;

export const HEADERS = {
  RequestId: {
    description: "Id of this request in logs and events: the one that was sent, or a new one.",
    schema: { type: "string" },
  },
  ETag: {
    description: "Revision of the object, when the response is about one that can change.",
    schema: { type: "string" },
  },
  Link: { description: "URLs of the next (older) and previous (newer) page. RFC 8288", schema: { type: "string" } },
  IdempotencyReplayed: {
    description: "The response is the stored one of an earlier request with the same key.",
    schema: { type: "string", enum: ["true"] },
  },
  RateLimitLimit: {
    description: "Requests a minute, over all credentials of the user or team; with a bad credential, of the address.",
    schema: { type: "integer" },
  },
  RateLimitRemaining: { description: "Requests that are left in this minute.", schema: { type: "integer" } },
  RateLimitReset: { description: "When the minute ends, seconds since the epoch.", schema: { type: "integer" } },
  RateLimit: {
    description: "The same as a structured field (draft-ietf-httpapi-ratelimit-headers).",
    schema: { type: "string" },
  },
  RateLimitPolicy: { description: "The limit that applies, as a structured field.", schema: { type: "string" } },
  RetryAfter: { description: "Seconds to wait before trying again.", schema: { type: "integer" } },
  Accept: { description: "The content type that is expected.", schema: { type: "string" } },
  WWWAuthenticate: { description: "The scheme that is expected.", schema: { type: "string", enum: ["Bearer"] } },
} as const;

export const PARAMETERS = {
  TeamId: {
    name: "teamId",
    in: "query",
    description: "Id or slug of the team that the call is about.",
    schema: { type: "string", minLength: 1 },
    example: EXAMPLE_TEAM,
  },
  TeamIdOrEmpty: {
    name: "teamId",
    in: "query",
    description:
      "Id or slug of the team that the call is about. Existing clients call the endpoint: an empty one counts as absent.",
    schema: { type: "string" },
    example: EXAMPLE_TEAM,
  },
  Slug: {
    name: "slug",
    in: "query",
    description: "The same as `teamId`; both must name the same team.",
    schema: { type: "string", minLength: 1 },
  },
  SlugOrEmpty: {
    name: "slug",
    in: "query",
    description: "The same as `teamId`; both must name the same team. An empty one counts as absent.",
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "Carries the call out once: the same key and body get the same response for 24 hours.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description:
      "Changes the object only if this is still its `ETag`; otherwise the response is 412 with the current one.",
    schema: { type: "string" },
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description: "The `id` of the last event received: the stream continues after it.",
    schema: { type: "string", pattern: "^\\d{1,15}$" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "The `ETag` of the response that the client has: if it is still the same, the response is 304 without a body.",
    schema: { type: "string" },
  },
  IfAbsent: {
    name: "If-None-Match",
    in: "header",
    description: "`*`: begins the object, if there is none yet; otherwise the response is 412 with the current `ETag`.",
    schema: { type: "string", const: "*" },
  },
} as const;

export const SECURITY_SCHEMES: Json = {
  bearer: { type: "http", scheme: "bearer", description: "An access token (`rvt_`) or an API key (`rvk_`)." },
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "An API key (`rvk_`)." },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-reeve",
    description:
      "The session of a browser; the cookie is named `reeve` where REEVE_PUBLIC_URL is not https. Changes need " +
      "`Sec-Fetch-Site: same-origin`, or an `Origin` that equals REEVE_PUBLIC_URL.",
  },
};

export function reference(kind: "schemas" | "headers" | "parameters" | "requestBodies" | "responses", name: string) {
  return { $ref: `#/components/${kind}/${name}` };
}

export function headers(...names: readonly [field: string, component: keyof typeof HEADERS][]): Json {
  return Object.fromEntries(names.map(([field, component]) => [field, reference("headers", component)]));
}

export const UNCHANGED: Json = { description: "Not changed.", headers: headers(["ETag", "ETag"]) };

/** The request headers that say what the client has already. */
export function stateHeaders({ isLive, isConditional, beginsObject }: Endpoint): readonly Json[] {
  if (isLive) return [reference("parameters", "LastEventId")];
  if (beginsObject) return [reference("parameters", "IfAbsent")];
  return isConditional ? [reference("parameters", "IfNoneMatch")] : [];
}

export const ERROR_HEADERS: Readonly<Record<number, Json>> = {
  401: headers(["WWW-Authenticate", "WWWAuthenticate"]),
  412: headers(["ETag", "ETag"]),
  415: headers(["Accept", "Accept"]),
  429: headers(["Retry-After", "RetryAfter"]),
  503: headers(["Retry-After", "RetryAfter"]),
};

/** An error by media type. */
export const ERROR_FORMS: Json = {
  "application/json": { schema: reference("schemas", "Error") },
  "application/problem+json": { schema: reference("schemas", "Problem") },
};

/** What the HTTP layer can refuse any call with. A generator takes it for a success where its description has that word. */
export const ANY_ERROR: Json = {
  description:
    "An error that any call can get, before or beside its own. The headers of a request's id and of rate limits are in every response.",
  headers: headers(
    ["X-Request-Id", "RequestId"],
    ["X-RateLimit-Limit", "RateLimitLimit"],
    ["X-RateLimit-Remaining", "RateLimitRemaining"],
    ["X-RateLimit-Reset", "RateLimitReset"],
    ["RateLimit", "RateLimit"],
    ["RateLimit-Policy", "RateLimitPolicy"],
    ["Retry-After", "RetryAfter"],
    ["WWW-Authenticate", "WWWAuthenticate"],
    ["Accept", "Accept"],
  ),
  content: ERROR_FORMS,
  "x-errors-by-status": Object.fromEntries(groupByStatus(HTTP_ERRORS)),
};

/** The description of each tag; tools show it beside the name of the tag. */
export const TAGS: Readonly<Record<string, string>> = {
  User: "The account that calls.",
  Users: "Every account of the instance, for its administrators.",
  "Ways to sign in": "Password, passkeys and recovery codes of the user.",
  Sessions: "The browsers in which the user is signed in.",
  "Access tokens": "Credentials that authenticate a user.",
  "API keys": "Credentials of a team or a user that programs hold, with a role of their own.",
  "Workload identity": "Which signed tokens of other issuers are exchanged for API keys of 15 minutes.",
  Teams: "Users who own resources together, and the settings of a team.",
  Members: "Who is in a team, with which role.",
  Invites: "Invitations of accounts and e-mail addresses.",
  "Access requests": "Requests to join a team, and decisions on them.",
  Environments:
    "What applications of a project get as variables: secrets by reference and plain values, with versions, read in one call.",
  Variables:
    "The entries of a project's environments in the form of the hosted API, for its clients: one variable in several environments.",
  Secrets: "Named values that are stored encrypted, with versions and former names.",
  Projects: "The names under which an owner's resources are stored.",
  "Attack mode": "Challenging every client of a project for a while.",
  "Firewall bypasses": "Clients and requests that are not challenged while attack mode is on.",
  Firewall: "Configurations of a project's firewall: versions, drafts, and trying requests on them.",
  Gate: "What a gate, which enforces a project's firewall in front of an application, reads of this server.",
  "Firewall traffic": "The outcomes of requests, reported by the services that enforce a configuration.",
  Webhooks: "URLs that an owner's events are sent to, and the log of the deliveries.",
  Events: "What happened: a feed, exports, live streams and signed checkpoints.",
  Instance: "What its administrators look after: settings, health, master keys and what waits.",
  Service: "The process itself: its documentation, its health and its metrics.",
};

/** A callback of an endpoint; `schema` is the published form of its body. https://spec.openapis.org/oas/v3.1.1#callback-object */
export function describeCallback(
  { name, to, summary, description, headers: documented }: Callback,
  schema: unknown,
): Json {
  const parameters = Object.entries(documented).map(([header, says]) => ({
    name: header,
    in: "header",
    description: says,
    schema: { type: "string" },
  }));
  const post = {
    operationId: `on${name[0]?.toUpperCase()}${name.slice(1)}`,
    summary,
    description,
    security: [],
    parameters,
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: {
      "2XX": { description: "Accepted." },
      410: { description: "The receiver is gone for good." },
      default: { description: "Failed: the delivery is retried." },
    },
  };
  return { [name]: { [`{$request.body#/${to}}`]: { post } } };
}
