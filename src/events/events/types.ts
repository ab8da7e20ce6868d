// The event types that Reeve itself emits, and the categories of all types. A type has its public name where there is one.
// Types that callers publish are in published-types.ts.

export const EVENT_CATEGORIES = {
  account: "Account",
  team: "Team",
  secret: "Secret",
  firewall: "Firewall",
  security: "Security",
  project: "Project",
  deployment: "Deployment",
  domain: "Domain",
  "env-variable": "Environment variable",
  edge: "Edge",
  "feature-flags": "Feature flags",
  integration: "Integration",
  observability: "Observability",
  "ai-gateway": "AI gateway",
  billing: "Billing",
  other: "Other",
  webhook: "Webhook",
} as const;
export type EventCategory = keyof typeof EVENT_CATEGORIES;

export interface EventTypeInfo {
  readonly description: string;
  readonly categories: readonly EventCategory[];
}

export const EVENT_TYPES = {
  team: { description: "A team was created.", categories: ["team"] },
  "team-delete": { description: "A team was deleted.", categories: ["team", "security"] },
  "team-name-update": { description: "A team's name was changed.", categories: ["team"] },
  "team-slug-update": { description: "A team's slug was changed.", categories: ["team"] },
  "team-avatar-update": { description: "A team's avatar was changed.", categories: ["team"] },
  "team-email-domain-update": { description: "A team's e-mail domain was changed.", categories: ["team", "security"] },
  "team-remote-caching-update": { description: "A team's remote caching was switched.", categories: ["team"] },
  "team-saml-enforced": {
    description: "A team's single sign-on was enforced or no longer is.",
    categories: ["team", "security"],
  },
  "team-saml-roles": {
    description: "A team's single sign-on role mapping was changed.",
    categories: ["team", "security"],
  },
  "team-collaboration-settings-updated": {
    description: "Other settings of a team were changed.",
    categories: ["team"],
  },
  "team-invite-code-reset": { description: "A team's join link was replaced.", categories: ["team", "security"] },
  "team-invite-link-created": {
    description: "A shareable invite code was created or renewed.",
    categories: ["team", "security"],
  },
  "team-invite-link-deleted": { description: "An invitation was withdrawn.", categories: ["team", "security"] },
  "team-invite-bulk-delete": {
    description:
      "Invite codes were revoked and invitations ended together, because the person who answered for them may no longer invite.",
    categories: ["team", "security"],
  },
  "team-member-add": { description: "Somebody was invited to a team.", categories: ["team", "security"] },
  "team-member-join": { description: "Somebody joined a team.", categories: ["team", "security"] },
  "team-member-leave": { description: "A member left a team.", categories: ["team"] },
  "team-member-delete": {
    description: "A member or an invited person was removed from a team.",
    categories: ["team", "security"],
  },
  "team-member-role-update": {
    description: "A member's role or grants were changed.",
    categories: ["team", "security"],
  },
  "team-member-request-access": { description: "Somebody asked to join a team.", categories: ["team"] },
  "team-member-confirm-request": {
    description: "A request to join a team was confirmed.",
    categories: ["team", "security"],
  },
  "team-member-decline-request": { description: "A request to join a team was declined.", categories: ["team"] },
  project: {
    description: "A project was created by its name, before something was stored under it.",
    categories: ["project"],
  },
  "secret-add": { description: "A secret was created.", categories: ["secret", "security"] },
  "secret-rename": { description: "A secret was renamed.", categories: ["secret", "security"] },
  "secret-update": {
    description: "A secret's settings were changed, or one of its aliases given up.",
    categories: ["secret"],
  },
  "secret-value-update": {
    description: "A secret got a new value, or an earlier one back.",
    categories: ["secret", "security"],
  },
  "secret-reveal": { description: "A secret's value was read.", categories: ["secret", "security"] },
  "secret-expiring": { description: "A secret expires soon, or has expired.", categories: ["secret", "security"] },
  "secret-unreadable": {
    description: "A secret's stored value did not open: it was tampered with.",
    categories: ["secret", "security"],
  },
  "secret-delete": { description: "A secret was deleted.", categories: ["secret", "security"] },
  "secret-restore": { description: "A deleted secret was brought back.", categories: ["secret", "security"] },
  "secret-destroy": {
    description: "A deleted secret was destroyed for good.",
    categories: ["secret", "security"],
  },
  "secrets-export": {
    description: "Secrets were written into an encrypted file.",
    categories: ["secret", "security"],
  },
  "environment-created": { description: "An environment of a project was created.", categories: ["env-variable"] },
  "environment-updated": {
    description: "What an environment of a project inherits from was changed.",
    categories: ["env-variable", "security"],
  },
  "environment-deleted": {
    description: "An environment of a project was deleted.",
    categories: ["env-variable", "security"],
  },
  "environment-values-changed": {
    description: "Entries of an environment were added, changed or removed.",
    categories: ["env-variable", "security"],
  },
  "environment-values-read": {
    description: "The values of an environment were read.",
    categories: ["env-variable", "security"],
  },
  "firewall-config-modified": {
    description: "A firewall configuration got a new version.",
    categories: ["firewall", "security"],
  },
  "firewall-config-promoted": {
    description: "A version of a firewall configuration became the active one.",
    categories: ["firewall", "security"],
  },
  "firewall-draft-modified": {
    description: "A change of a firewall configuration was staged.",
    categories: ["firewall"],
  },
  "firewall-draft-discarded": {
    description: "The staged changes of a firewall configuration were discarded.",
    categories: ["firewall"],
  },
  "firewall-bypass-created": {
    description: "A client was put on a project's bypass list.",
    categories: ["firewall", "security"],
  },
  "firewall-bypass-deleted": {
    description: "A client was removed from a project's bypass list, or its entry expired.",
    categories: ["firewall", "security"],
  },
  "firewall-bypass-rule-created": {
    description: "A bypass rule of a project was added.",
    categories: ["firewall", "security"],
  },
  "firewall-bypass-rule-updated": {
    description: "A bypass rule of a project got other conditions or another note.",
    categories: ["firewall", "security"],
  },
  "firewall-bypass-rule-deleted": {
    description: "A bypass rule of a project was removed.",
    categories: ["firewall", "security"],
  },
  "attack-mode-enabled": {
    description: "Attack challenge mode was switched on, or got another end.",
    categories: ["firewall", "security"],
  },
  "attack-mode-disabled": {
    description: "Attack challenge mode was switched off, or ended by itself.",
    categories: ["firewall", "security"],
  },
  "attack-mode-automatic-enabled": {
    description: "Attack challenge mode switches itself from now on.",
    categories: ["firewall", "security"],
  },
  "attack-mode-automatic-disabled": {
    description: "Attack challenge mode no longer switches itself.",
    categories: ["firewall", "security"],
  },
  "webhook-created": { description: "A webhook was created.", categories: ["webhook", "security"] },
  "webhook-updated": { description: "A webhook's settings were changed.", categories: ["webhook"] },
  "webhook-secret-rotate": {
    description: "A webhook got another signing secret.",
    categories: ["webhook", "security"],
  },
  "webhook-replay": {
    description: "A replay of the deliveries that a webhook missed was requested.",
    categories: ["webhook"],
  },
  "webhook-redeliver": { description: "A delivery to a webhook was requested again.", categories: ["webhook"] },
  "webhook-test": { description: "A test was sent to a webhook.", categories: ["webhook"] },
  "webhook-disabled": {
    description: "A webhook was disabled because its receiver is gone or only failed.",
    categories: ["webhook"],
  },
  "webhook-deleted": { description: "A webhook was deleted.", categories: ["webhook", "security"] },
  "event-chain-broken": {
    description: "Recorded events were tampered with, which Reeve found before it removed old ones.",
    categories: ["security"],
  },
  "signing-key-replace": {
    description: "Another key signs checkpoints from now on.",
    categories: ["security"],
  },
  "master-key-activate": {
    description: "Another master key seals secrets from now on.",
    categories: ["security"],
  },
  "user-token-created": {
    description: "An access token or API key was created or rotated.",
    categories: ["account", "security"],
  },
  "user-token-deleted": { description: "An access token or API key was deleted.", categories: ["account", "security"] },
  "oauth-app-connection-created": {
    description: "A person approved that a program acts for their account.",
    categories: ["account", "security"],
  },
  login: { description: "Somebody signed in to an account.", categories: ["account", "security"] },
  "login-failed": {
    description: "Somebody failed to sign in to an account.",
    categories: ["account", "security"],
  },
  "sso-login": {
    description: "Somebody signed in to an account with a provider.",
    categories: ["account", "security"],
  },
  "login-connection-linked": {
    description: "An account at a provider was connected to an account, and signs in to it.",
    categories: ["account", "security"],
  },
  "login-connection-unlinked": {
    description: "An account at a provider no longer signs in to an account.",
    categories: ["account", "security"],
  },
  "session-ended": { description: "Sessions of an account were ended.", categories: ["account", "security"] },
  "password-updated": {
    description: "An account's password was set, changed or removed.",
    categories: ["account", "security"],
  },
  "passkey-created": { description: "A passkey of an account was added.", categories: ["account", "security"] },
  "passkey-updated": { description: "A passkey of an account was renamed.", categories: ["account"] },
  "passkey-deleted": { description: "A passkey of an account was removed.", categories: ["account", "security"] },
  "recovery-codes-created": {
    description: "An account got new recovery codes; the earlier ones no longer work.",
    categories: ["account", "security"],
  },
  "sign-in-link-created": {
    description: "A link was made that signs in to an account once.",
    categories: ["account", "security"],
  },
  "user-tokens-deleted": {
    description: "All credentials of an account were revoked.",
    categories: ["account", "security"],
  },
  "api-keys-suspended": {
    description: "API keys of a team were suspended: the user who answers for them no longer has their permissions.",
    categories: ["team", "security"],
  },
  "identity-trust-created": {
    description: "A trust rule was created: tokens of an issuer are exchanged for API keys.",
    categories: ["team", "security"],
  },
  "identity-trust-updated": {
    description: "A trust rule was changed, or somebody else answers for it.",
    categories: ["team", "security"],
  },
  "identity-trust-deleted": { description: "A trust rule was deleted.", categories: ["team", "security"] },
  "identity-trusts-suspended": {
    description:
      "Trust rules were suspended: the user who answers for them no longer has the permissions that they give.",
    categories: ["team", "security"],
  },
  "identity-exchanged": {
    description: "A signed token of another issuer was exchanged for an API key of 15 minutes.",
    categories: ["team", "security"],
  },
  "identity-refused": {
    description: "A token of a trusted issuer was refused, because it does not fit the trust rules.",
    categories: ["team", "security"],
  },
  "api-key-adopted": {
    description: "Another user answers for an API key from now on; it works again if it was suspended.",
    categories: ["team", "security"],
  },
  "user-created": { description: "An account was created.", categories: ["account", "security"] },
  "user-updated": { description: "An account's settings were changed.", categories: ["account"] },
  "user-suspended": { description: "An account was suspended.", categories: ["account", "security"] },
  "user-resumed": { description: "A suspended account may sign in again.", categories: ["account", "security"] },
  "user-delete": { description: "An account was deleted.", categories: ["account", "security"] },
  username: { description: "An account's username was changed.", categories: ["account"] },
  email: { description: "An account's e-mail address was changed.", categories: ["account", "security"] },
  "email-change-requested": {
    description: "Links were mailed that confirm a change of an account's e-mail address.",
    categories: ["account", "security"],
  },
  avatar: { description: "An account's avatar was changed.", categories: ["account"] },
} as const satisfies Readonly<Record<string, EventTypeInfo>>;

export type EventType = keyof typeof EVENT_TYPES;
