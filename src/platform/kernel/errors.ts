// The closed list of error codes. Every code has one status, and every contract lists the codes of its endpoints.

/** HTTP status of each error code. Clients branch on the code; people read the message. */
export const ERROR_STATUS = {
  bad_request: 400,
  invalid_json: 400,
  invalid_query: 400,
  invalid_path: 400,
  scope_conflict: 400,
  invalid_cursor: 400,
  invalid_slug: 400,
  reserved_slug: 400,
  already_member: 400,
  already_invited: 400,
  already_requested: 400,
  already_confirmed: 400,
  not_requested: 400,
  no_sso_link: 400,
  last_owner: 400,
  too_many_projects: 400,
  invite_expired: 400,
  invite_used_up: 400,
  invite_revoked: 400,
  invite_unknown: 400,
  invite_wrong_email: 400,
  invite_wrong_team: 400,
  invalid_expiry: 400,
  invalid_secret_name: 400,
  invalid_secret_value: 400,
  too_many_aliases: 400,
  invalid_environment: 400,
  invalid_firewall: 400,
  firewall_too_costly: 400,
  draft_too_large: 400,
  too_many_bypasses: 400,
  invalid_webhook: 400,
  unknown_event: 400,
  too_many_webhooks: 400,
  too_many_tokens: 400,
  limit_reached: 400,
  too_many_invitations: 400,
  too_many_trusts: 400,
  identity_refused: 400,
  weak_password: 400,
  too_many_identities: 400,
  too_many_passkeys: 400,
  role_exceeds_creator: 403,
  not_authorized: 401,
  forbidden: 403,
  proof_required: 403,
  passwords_off: 403,
  mail_off: 403,
  sign_up_closed: 403,
  cross_site_request: 403,
  sign_in_failed: 401,
  provider_refused: 401,
  link_unknown: 404,
  device_code_unknown: 404,
  team_unauthorized: 403,
  not_invited: 403,
  plan_not_supported: 403,
  not_found: 404,
  user_not_found: 404,
  member_not_found: 404,
  method_unknown: 405,
  slug_taken: 409,
  username_taken: 409,
  identity_taken: 409,
  email_taken: 409,
  last_administrator: 409,
  last_sign_in_method: 409,
  sole_owner: 409,
  default_team_not_member: 400,
  rotation_pending: 409,
  bypass_rule_exists: 409,
  webhook_inactive: 409,
  replay_running: 409,
  secret_name_taken: 409,
  secret_is_alias: 409,
  secret_not_decryptable: 409,
  project_exists: 409,
  environment_exists: 409,
  env_conflict: 409,
  environment_in_use: 409,
  environment_incomplete: 409,
  version_conflict: 409,
  draft_conflict: 409,
  secret_expired: 410,
  events_pruned: 410,
  idempotency_key_in_use: 409,
  request_timeout: 408,
  revision_mismatch: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  not_acceptable: 406,
  idempotency_key_reused: 422,
  request_declined: 429,
  too_many_requests: 429,
  too_many_sign_ins: 429,
  too_many_access_requests: 429,
  too_many_mails: 429,
  too_many_streams: 429,
  headers_too_large: 431,
  internal_server_error: 500,
  secret_unreadable: 500,
  storage_full: 507,
  overloaded: 503,
  provider_unavailable: 503,
  store_unavailable: 503,
  store_busy: 503,
  outcome_unknown: 503,
  master_key_missing: 503,
  not_ready: 503,
  shutting_down: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** A refusal whose message the client gets. Any other error that is thrown becomes a 500 without details. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  /** Extra members of the error object, next to `code` and `message`. */
  readonly details: Readonly<Record<string, unknown>>;
  /** What the operator can do about it. It is only logged, never sent; null: nothing. */
  readonly hint: string | null;

  constructor(
    code: ErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    hint: string | null = null,
  ) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.details = details;
    this.hint = hint;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** A field as its sender knows it: `body.email` becomes `email`. Headers have no prefix. */
export function shownField(field: string): string {
  return field.replace(/^(?:body|query|path)\.(?=.)/, "");
}

/** What a problem in words expects: "expected a, got b; else c" expects a. Undefined: it does not say. */
export function expectedOf(problem: string): string | undefined {
  return /^expected (.+?)(?:, got .*|[;:] .*)?$/s.exec(problem)?.[1];
}

/** A refusal of one field: the message begins with the sender's name for it, `error.field` is its path, `error.expected` what it expects. */
export function fieldError(
  code: ErrorCode,
  field: string,
  problem: string,
  details: Readonly<Record<string, unknown>> = {},
  hint: string | null = null,
): ApiError {
  const expected = expectedOf(problem);
  const about = { field, ...(expected !== undefined && { expected }), ...details };
  return new ApiError(code, `${shownField(field)}: ${problem}`, about, hint);
}

/** The same error for what does not exist and for what the caller may not see: no access, no knowledge. */
export function notFound(what: string, details: Readonly<Record<string, unknown>> = {}): ApiError {
  return new ApiError("not_found", `${what} not found`, details);
}

/** Of a team that a request names. A person who has asked to join it is told to wait. */
export function teamNotFound(isAwaited = false): ApiError {
  const hint = isAwaited
    ? ": your request to join it waits for an OWNER; GET /v1/teams/{teamId}/request shows it"
    : "; GET /v2/teams lists those that you may see";
  return new ApiError("not_found", `Team not found${hint}`);
}

/** Names the project that a request names, whether it does not exist or the credential is limited to others. `field` is that of a filter. */
export function projectNotFound(projectId: string, field?: string): ApiError {
  const assumed = projectId === "default" ? ", which a request without projectId names" : "";
  const message =
    `Project not found: expected one that exists and that this credential may use, got ${JSON.stringify(projectId)}${assumed}. ` +
    "A project begins with a first change of somebody with the permission firewall:write";
  return new ApiError("not_found", message, { ...(field !== undefined && { field }), projectId });
}
