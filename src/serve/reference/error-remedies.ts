// What to do about each error code: the entry to which `docs` of an error leads, and the table of docs/errors.md.
import type { ErrorCode } from "../../platform/kernel/errors.ts";

const RETRY = "Send it again with the same `Idempotency-Key`, after the seconds of `Retry-After`";

/** Codes in the order of the alphabet. Texts may have `code` in backticks. */
export const ERROR_REMEDIES: Readonly<Record<ErrorCode, string>> = {
  already_confirmed: "Nothing: the member is confirmed. Leave `confirmed` out.",
  already_invited:
    "Accept the invitation with `POST /v1/teams/{teamId}/members/teams/join`, instead of asking or inviting again.",
  already_member:
    "Nothing: the account belongs to the team. To change what it may do, send `PATCH /v1/teams/{teamId}/members/{uid}`.",
  already_requested:
    "Wait for an OWNER to decide, or withdraw the request with `DELETE /v1/teams/{teamId}/members/{uid}`.",
  bad_request:
    "Change the member that `field` names to what `expected` says. Where `errors` is there, it lists every fault.",
  body_too_large: "Send at most `limit` bytes: several requests, or a shorter value.",
  bypass_rule_exists: "Replace the rule of that domain with `PUT` at the same path, or remove it first.",
  cross_site_request:
    "Call from a page of the server's own address, or with a token in `Authorization` instead of the cookie. `REEVE_PUBLIC_URL` has to be the address that browsers use.",
  default_team_not_member: "Send the id of a team that the account belongs to: `GET /v2/teams` lists them.",
  device_code_unknown: "Start the sign-in again in the program, and type the new code.",
  draft_conflict: "Discard the draft, read the active version, and make the changes again.",
  draft_too_large: "Activate or discard the draft, then go on with a new one.",
  email_taken: "Choose another address, or sign in to the account that has it.",
  env_conflict: "Change the variable that is there with `PATCH`, send `upsert=true`, or name other environments.",
  environment_exists: "Choose another name, or change the environment that has it.",
  environment_in_use: "Remove its entries, or let the environments of `environments` inherit from another one first.",
  environment_incomplete:
    "Set or remove the keys that `entries` lists: each names a secret that is gone, has expired or can't be read.",
  events_pruned: "Go on from `firstSequence`. What is older is no longer kept: see `REEVE_EVENTS_RETENTION_DAYS`.",
  expectation_failed: "Leave the header `Expect` out, or send `100-continue`.",
  firewall_too_costly:
    "Use fewer conditions and shorter expressions, or let the operator raise `REEVE_FIREWALL_COST_LIMIT`.",
  forbidden:
    "Ask an OWNER of the team for the permission that `message` names, or use a credential that has it and is not limited. `GET /v2/user` shows who asks.",
  headers_too_large:
    "Send fewer or shorter headers; most often cookies of other applications at the same host are the cause.",
  idempotency_key_in_use: "Wait for the first request with this key, then send it again: it gets the same response.",
  idempotency_key_reused: "Use a new key: one key belongs to one request, with the same path and body.",
  identity_refused:
    "Compare the token's issuer, audience and claims with the trust rule that should accept it; the events of the team say why none did.",
  identity_taken: "Disconnect the account of the provider where it is connected now, then connect it here.",
  internal_server_error:
    "Send it again once. If it fails again, give `requestId` to the operator: its log has the cause.",
  invalid_cursor:
    "Begin the list without the parameter, and follow `pagination` of its responses: cursors are not computed.",
  invalid_environment:
    "Change the member that `field` names to what `expected` says. `GET /v1/environments/{project}` shows names and versions.",
  invalid_expiry:
    "Send a time in milliseconds since the epoch, such as `Date.now() + 86400000` for a day from now, within the bounds of `expected`.",
  invalid_firewall:
    "Mend what `errors` lists. The docs of the firewall have conditions, operators and actions with examples.",
  invalid_json:
    "Send JSON in UTF-8: check quotes and commas at the position that `message` names. In a shell, put the body into single quotes.",
  invalid_path: "Put a value into the path for each of its parameters, percent-encoded, as `expected` says.",
  invalid_query: "Change the parameter that `field` names to what `expected` says, or leave it out.",
  invalid_secret_name: "Choose a name of the form that `expected` says.",
  invalid_secret_value:
    "Send a text of the size that `expected` says; keep anything else elsewhere, and a reference to it here.",
  invalid_slug: "Choose a slug of 1 to 48 of a-z, 0-9, - and _ that begins with a letter. The `name` may be any text.",
  invalid_webhook:
    "Change the member that `field` names to what `expected` says. Addresses inside the server's network need `REEVE_EGRESS_ALLOW`.",
  invite_expired: "Ask who invited you for a new invite.",
  invite_revoked: "Ask an OWNER of the team for a new invite.",
  invite_unknown:
    "Send the whole code, without the address before it, as `inviteCode`; ask for a new invite if it is right.",
  invite_used_up: "Ask who invited you for a new invite.",
  invite_wrong_email: "Sign in with the account that has the invited address, or ask for an invite for this one.",
  invite_wrong_team: "Leave `teamId` out: the code names its team.",
  last_administrator: "Make another account an administrator first: `PATCH /v1/users/{uid}` with `admin: true`.",
  last_owner: "Make another confirmed member OWNER first, or delete the team.",
  last_sign_in_method: "Add another way to sign in first: a passkey, a password or a connection.",
  limit_reached: "Delete what is no longer needed, or let the operator raise the limit that `limit` names.",
  link_unknown: "Ask for a new link, and open the newest one.",
  mail_off: "Ask the operator for a link, or to set `REEVE_SMTP_URL`.",
  master_key_missing: "The operator adds the key `keyId` to its keyring.",
  member_not_found: "List the members with `GET /v1/teams/{teamId}/members`, and use a `uid` of it.",
  method_unknown: "Use one of `allowed`, or the path that `message` names for this method.",
  no_sso_link: "Leave `joinedFrom` out: there is nothing to unlink.",
  not_acceptable: "Send `Accept` with one of `offered`, or leave it out.",
  not_authorized:
    "Send `Authorization: Bearer <credential>` with a whole token or API key that is neither expired nor deleted. `POST /v3/user/tokens` makes a token, `reeve login` signs the command line in.",
  not_found:
    "Check the id or the name, then the team: without `teamId` or `slug` a call is about your own account, or the team of the credential. What you may not see counts as not there.",
  not_invited: "Ask for an invite, or ask to join with `POST /v1/teams/{teamId}/request`.",
  not_ready: "Wait: `checks` says what the server waits for. the runbook says what to do about each.",
  not_requested: "Nothing waits for a decision: the request was withdrawn or decided. List the members to see.",
  outcome_unknown:
    "Read first: the change may have been made. With an `Idempotency-Key`, send it again with the same key.",
  overloaded: `${RETRY}; spread the requests over time.`,
  passwords_off: "Sign in with a passkey or a provider: this server has `REEVE_PASSWORDS` off.",
  plan_not_supported: "Use the firewall of a project: `PUT /v1/firewalls` with `projectId`.",
  project_exists: "Choose another name, or use the project that has it.",
  proof_required:
    "Confirm it is you (password or passkey) in the console, then send it again within the minutes of `proofMs`. Tokens and API keys need no proof.",
  provider_refused: "Begin the sign-in again in one browser window; else sign in another way.",
  provider_unavailable:
    "Try again in a minute, or sign in another way; the server's log says why the provider does not answer.",
  replay_running: "Wait until the replay `replayId` is finished: `GET` it, or cancel it.",
  request_declined: "Wait for the seconds of `retryAfter`, or ask an OWNER for an invite.",
  request_timeout: "Send it again over a faster connection, or in smaller parts.",
  reserved_slug: "Choose another slug: this word is part of addresses.",
  revision_mismatch: "Read the object again, make the change on what is there now, and send its `ETag` as `If-Match`.",
  role_exceeds_creator: "Choose a role with no more permissions than your own, or ask an OWNER to make the key.",
  rotation_pending: "Wait until the value before is over, or send `force: true` to end it now.",
  scope_conflict: "Name one team once: `teamId` or `slug`, the same as in the path.",
  secret_expired: "Set a new `expiresAt` or a new value; earlier versions expire with the secret.",
  secret_is_alias: "Use the name in `name`: what you named is a former one that can only be read.",
  secret_name_taken: "Choose another name, or change the secret that has it with `PATCH /v2/secrets/{name}`.",
  secret_not_decryptable: "Create another secret with `decryptable: true`: this one can't be read back, by design.",
  secret_unreadable:
    "Roll back to an earlier version, or set a new value; the operator finds out what changed the store.",
  shutting_down: RETRY + ".",
  sign_in_failed: "Check the name and the code or password; a forgotten password is reset by a link.",
  sign_up_closed: "Ask an OWNER of your team, or the operator, for an invitation.",
  slug_taken: "Choose another slug.",
  sole_owner: "Make somebody else OWNER of the teams that `teams` lists, or delete them, first.",
  storage_full: `Delete what is no longer needed; changes that add data work again when there is room. If it goes on, ask the operator.`,
  store_busy: `${RETRY}; if it goes on, ask the operator.`,
  store_unavailable: `${RETRY}; if it goes on, ask the operator.`,
  team_unauthorized: "Sign in to the team as it demands, or choose another team.",
  too_many_access_requests: "Try again when the team has decided on others, or ask an OWNER for an invite.",
  too_many_aliases: "Give one of the former names up with `DELETE /v2/secrets/{name}/aliases/{alias}`.",
  too_many_bypasses: "Remove entries that are no longer needed; one network instead of many addresses helps.",
  too_many_identities: "Disconnect one of the connections first.",
  too_many_invitations: "Withdraw invitations that nobody accepted, expired ones too.",
  too_many_mails: "Try again after `resetsAt`, or hand the link over in another way.",
  too_many_passkeys: "Remove a passkey first.",
  too_many_projects: "Give the member a role in the team instead of one for each project.",
  too_many_requests:
    "Wait for the seconds of `Retry-After`. `X-RateLimit-Remaining` shows how many are left before it happens.",
  too_many_sign_ins: "Wait for the seconds of `Retry-After`.",
  too_many_streams: "Close a stream that is no longer read, or wait for the seconds of `Retry-After`.",
  too_many_tokens: "Delete a token that is no longer used: `GET /v6/user/tokens` lists them with their last use.",
  too_many_trusts: "Delete a trust rule that is no longer used, or widen one.",
  too_many_webhooks: "Delete a webhook that is no longer used, or let one take more types of events.",
  unknown_event: "Use a type of the list of events on this page, or a pattern such as `secret.*`.",
  unsupported_media_type: "Send `Content-Type: application/json`, and the body uncompressed.",
  user_not_found: "Check the id, or invite by `email`.",
  username_taken: "Choose another name.",
  version_conflict:
    "Read it again, make the change on what is there now, and send `currentVersion` as `expectedVersion`.",
  weak_password: "Choose a longer password, of words that are not in lists of leaked ones.",
  webhook_inactive: "Activate it: `PATCH /v1/webhooks/{webhookId}` with `active: true`, when its receiver works again.",
};
