// The error codes that every endpoint can return.
import type { ErrorCode } from "./errors.ts";

/** Error codes that the HTTP layer can return for any endpoint. */
export const HTTP_ERRORS = [
  "bad_request",
  "invalid_json",
  "invalid_query",
  "invalid_path",
  "scope_conflict",
  "not_authorized",
  "forbidden",
  "cross_site_request",
  "proof_required",
  "not_found",
  "not_acceptable",
  "idempotency_key_in_use",
  "idempotency_key_reused",
  "body_too_large",
  "unsupported_media_type",
  "too_many_requests",
  "request_timeout",
  "headers_too_large",
  "expectation_failed",
  "internal_server_error",
  "limit_reached",
  "storage_full",
  "overloaded",
  "store_unavailable",
  "store_busy",
  "outcome_unknown",
  "shutting_down",
] as const satisfies readonly ErrorCode[];
