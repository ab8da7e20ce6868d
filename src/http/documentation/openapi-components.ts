// The parts of the OpenAPI document that are the same for every endpoint: headers, parameters, errors.
import { ERROR_STATUS } from "../../kernel/errors.ts";
import type { ErrorCode } from "../../kernel/errors.ts";

export type Json = Readonly<Record<string, unknown>>;

const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

export const HEADERS = {
  RequestId: {
    description: "Names this request in logs and events: the one that was sent, or a new one.",
    schema: { type: "string" },
  },
  ETag: {
    description: "Revision of the object, when the answer is about one that can change.",
    schema: { type: "string" },
  },
  Link: { description: "URLs of the next (older) and previous (newer) page. RFC 8288", schema: { type: "string" } },
  IdempotencyReplayed: {
    description: "The answer is the stored one of an earlier request with the same key.",
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
    description: "Id or slug of the team that the call is about. Empty means absent.",
    schema: { type: "string" },
  },
  Slug: {
    name: "slug",
    in: "query",
    description: "The same as `teamId`; both must name the same team.",
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "Carries the call out once: the same key and body get the same answer for 24 hours.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "Changes the object only if this is still its `ETag`; otherwise 412 with the current one.",
    schema: { type: "string" },
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description: "The `id` of the last event that came: the stream goes on after it.",
    schema: { type: "string", pattern: "^\\d{1,15}$" },
  },
} as const;

export function reference(kind: "schemas" | "headers" | "parameters" | "requestBodies" | "responses", name: string) {
  return { $ref: `#/components/${kind}/${name}` };
}

export function headers(...names: readonly [field: string, component: keyof typeof HEADERS][]): Json {
  return Object.fromEntries(names.map(([field, component]) => [field, reference("headers", component)]));
}

export const COMMON_HEADERS = headers(
  ["X-Request-Id", "RequestId"],
  ["X-RateLimit-Limit", "RateLimitLimit"],
  ["X-RateLimit-Remaining", "RateLimitRemaining"],
  ["X-RateLimit-Reset", "RateLimitReset"],
  ["RateLimit", "RateLimit"],
  ["RateLimit-Policy", "RateLimitPolicy"],
);

export const ERROR_HEADERS: Readonly<Record<number, Json>> = {
  401: headers(["WWW-Authenticate", "WWWAuthenticate"]),
  412: headers(["ETag", "ETag"]),
  415: headers(["Accept", "Accept"]),
  429: headers(["Retry-After", "RetryAfter"]),
  503: headers(["Retry-After", "RetryAfter"]),
};

export const ERROR_SCHEMAS = {
  ErrorCode: { type: "string", enum: ERROR_CODES },
  Error: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["code", "message"],
        properties: {
          code: reference("schemas", "ErrorCode"),
          message: { type: "string", description: "For people: names the field as you sent it and what was expected." },
        },
        additionalProperties: {
          description:
            "Some codes carry more, such as `limit`, or `field`: the path of what was refused (`body.email`).",
        },
      },
    },
  },
  Problem: {
    type: "object",
    description: "The same as problem details. RFC 9457",
    required: ["type", "title", "status", "detail", "instance", "code"],
    properties: {
      type: { type: "string", format: "uri-reference", description: "Where the code is documented." },
      title: { type: "string" },
      status: { type: "integer" },
      detail: { type: "string" },
      instance: { type: "string", format: "uri" },
      code: reference("schemas", "ErrorCode"),
    },
    additionalProperties: true,
  },
};
