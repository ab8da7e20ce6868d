// The endpoints that need no credential, as data. They reveal no secrets and no data of any owner.
import type { ErrorCode } from "../kernel/errors.ts";

export interface PublicEndpoint {
  readonly id: string;
  readonly method: "GET" | "POST";
  /** Parameters as `{name}`. */
  readonly path: string;
  readonly summary: string;
  /** What a successful response is, in a sentence. */
  readonly returns: string;
  readonly contentType: string;
  readonly errors: readonly ErrorCode[];
  /** The fields of a form, or of the same as JSON: their descriptions, those that it needs first. */
  readonly form?: {
    readonly required: Readonly<Record<string, string>>;
    readonly optional: Readonly<Record<string, string>>;
  };
  /** Whom it redirects, and where. */
  readonly redirects?: string;
}

/** What a head of a request may be refused for, whatever it asks for (findHeadProblem). */
const HEAD_ERRORS = ["bad_request", "expectation_failed", "unsupported_media_type"] as const;

export const PUBLIC_ENDPOINTS = [
  {
    id: "getOpenApi",
    method: "GET",
    path: "/openapi.json",
    summary: "This document",
    returns: "The document in OpenAPI 3.1. With `aliases=true` it has the further paths of operations too.",
    contentType: "application/json",
    errors: HEAD_ERRORS,
  },
  {
    id: "getDocumentation",
    method: "GET",
    path: "/docs/{page}",
    summary: "A page of the documentation, such as `errors` or `reference`; `/docs/` lists them",
    returns: "A page.",
    contentType: "text/html",
    errors: [...HEAD_ERRORS, "not_found"],
    redirects: "A browser at another name of the server than `REEVE_PUBLIC_URL`, to that.",
  },
  {
    id: "getLiveness",
    method: "GET",
    path: "/health/live",
    summary: "Whether the process responds",
    returns: "The process responds.",
    contentType: "application/json",
    errors: HEAD_ERRORS,
  },
  {
    id: "getReadiness",
    method: "GET",
    path: "/health/ready",
    summary: "Whether requests can be served, and what is wrong when they can't, with advice for the operator",
    returns: "Requests can be served; warnings say what somebody should look at.",
    contentType: "application/json",
    errors: [...HEAD_ERRORS, "not_ready", "shutting_down"],
  },
  {
    id: "getMetrics",
    method: "GET",
    path: "/metrics",
    summary: "Counts and timings in the Prometheus text format",
    returns: "The metrics.",
    contentType: "text/plain",
    errors: HEAD_ERRORS,
  },
  {
    id: "getMailStop",
    method: "GET",
    path: "/mail/stop/{token}",
    summary: "The page to which the link of a mail leads: whether the team sends any, and a button to stop that",
    returns: "A page.",
    contentType: "text/html",
    errors: [...HEAD_ERRORS, "not_found", "too_many_requests"],
  },
  {
    id: "stopMail",
    method: "POST",
    path: "/mail/stop/{token}",
    summary: "Have a team send no more mail to the address of a link; mail programs do it with one click (RFC 8058)",
    returns: "A page that says so.",
    contentType: "text/html",
    errors: [...HEAD_ERRORS, "not_found", "too_many_requests"],
  },
  {
    id: "resumeMail",
    method: "POST",
    path: "/mail/resume/{token}",
    summary: "Let a team send mail again to the address of a link",
    returns: "A page that says so.",
    contentType: "text/html",
    errors: [...HEAD_ERRORS, "not_found", "too_many_requests"],
  },
  {
    id: "exchangeIdentity",
    method: "POST",
    path: "/v1/identity/exchange",
    summary:
      "Exchange a signed token of another issuer for an API key of 15 minutes, by a trust rule (RFC 8693). Errors have the form of OAuth, " +
      "unless `Accept` asks for `application/problem+json`",
    returns: "The key, in the form of OAuth.",
    contentType: "application/json",
    form: {
      required: {
        grant_type: "`urn:ietf:params:oauth:grant-type:token-exchange`",
        subject_token: "The signed token (JWT).",
        subject_token_type: "`urn:ietf:params:oauth:token-type:jwt` or `urn:ietf:params:oauth:token-type:id_token`",
        audience: "Whose trust rules count: the id or slug of a team, or the id of an account or of one rule.",
      },
      optional: {
        scope: "Permissions with spaces between them, if the key is to have fewer than the rule gives.",
        resource: "The URL of this server.",
        requested_token_type: "`urn:ietf:params:oauth:token-type:access_token`",
      },
    },
    errors: [
      ...HEAD_ERRORS,
      "invalid_json",
      "identity_refused",
      "body_too_large",
      "too_many_requests",
      "provider_unavailable",
    ],
  },
] as const satisfies readonly PublicEndpoint[];

export type PublicEndpointId = (typeof PUBLIC_ENDPOINTS)[number]["id"];
