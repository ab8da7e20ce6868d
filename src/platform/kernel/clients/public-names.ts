// The names that the public API's generated clients know: event types, categories, entities and principals. A client rejects a
// whole response for a name outside the lists of its release. Queries may use all of them.
// Source: @vercel/sdk 1.19.11, 1.21.9 and 1.28.35, read from the published packages.

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Major, minor and patch of a client's release. */
export type Release = readonly [number, number, number];

/** The names that a release added. */
export interface KnownNames {
  readonly since: Release;
  readonly types: ReadonlySet<string>;
  readonly categories: ReadonlySet<string>;
  readonly entities: ReadonlySet<string>;
  readonly principals: ReadonlySet<string>;
}

const TYPES_1_19_11 = names(`
  access-group-created access-group-deleted access-group-project-updated access-group-updated
  access-group-user-added access-group-user-removed ai-alert-investigation ai-code-review alert-rule-created
  alert-rule-deleted alert-rule-updated alias alias-chown alias-delete alias-invite-created alias-invite-joined
  alias-invite-revoked alias-protection-bypass-created alias-protection-bypass-exception
  alias-protection-bypass-regenerated alias-protection-bypass-revoked alias-system alias-user-scoped-access-denied
  alias-user-scoped-access-granted alias-user-scoped-access-requested alias-user-scoped-access-revoked
  attack-mode-disabled attack-mode-enabled audit-log-export-downloaded audit-log-export-requested
  authorize-git-deployment auto-expose-system-envs avatar bulk-redirects-settings-updated
  bulk-redirects-version-promoted bulk-redirects-version-restored cert cert-autorenew cert-chown cert-clone
  cert-delete cert-renew cert-replace cert-system-create concurrent-builds-update connect-bitbucket
  connect-bitbucket-app connect-configuration-created connect-configuration-deleted
  connect-configuration-link-updated connect-configuration-linked connect-configuration-unlinked
  connect-configuration-updated connect-github connect-github-custom-host connect-github-limited connect-gitlab
  connect-gitlab-app custom-suffix-clear custom-suffix-disable custom-suffix-enable custom-suffix-pending
  custom-suffix-ready deploy-hook-created deploy-hook-deduped deploy-hook-deleted deploy-hook-processed deployment
  deployment-chown deployment-creation-blocked deployment-delete disabled-integration-installation-removed
  disconnect-bitbucket-app disconnect-github disconnect-github-custom-host disconnect-github-limited
  disconnect-gitlab-app dns-add dns-delete dns-update dns-zonefile-import domain domain-buy domain-cdn domain-chown
  domain-custom-ns-change domain-delegated domain-delete domain-move-in domain-move-out domain-move-out-request-sent
  domain-renew-change domain-service-type-updated domain-transfer-in domain-transfer-in-canceled
  domain-transfer-in-completed drain-created drain-deleted drain-disabled drain-enabled drain-updated
  edge-cache-dangerously-delete-by-src-images edge-cache-dangerously-delete-by-tags
  edge-cache-invalidate-by-src-images edge-cache-invalidate-by-tags edge-cache-purge-all edge-cache-rollback-purge
  edge-config-created edge-config-deleted edge-config-items-updated edge-config-schema-deleted
  edge-config-schema-updated edge-config-token-created edge-config-token-deleted edge-config-transfer-in
  edge-config-transfer-out edge-config-updated email email-notification-rule-removed email-notification-rule-updated
  enforce-sensitive-environment-variables env-variable-add env-variable-delete env-variable-edit env-variable-read
  env-variable-read:cli:dev env-variable-read:cli:env:add env-variable-read:cli:env:ls
  env-variable-read:cli:env:pull env-variable-read:cli:env:rm env-variable-read:cli:pull
  env-variable-read:unknown-source env-variable-read:v0:env:pull firewall-bypass-created firewall-bypass-deleted
  firewall-config-promoted firewall-managed-rulegroup-updated firewall-managed-ruleset-updated flag
  flags-explorer-subscription flags-sdk-key flags-segment flags-settings instant-rollback-created
  integration-configuration-owner-changed integration-configuration-scope-change-confirmed
  integration-configurations-disabled integration-installation-billing-plan-updated
  integration-installation-completed integration-installation-permission-updated integration-installation-removed
  integration-scope-changed invoice-modified invoice-refunded log-drain-created log-drain-deleted log-drain-disabled
  log-drain-enabled login manual-deployment-promotion-created microfrontend-group-added microfrontend-group-deleted
  microfrontend-group-updated microfrontend-project-added-to-group microfrontend-project-removed-from-group
  microfrontend-project-updated monitoring-disabled monitoring-enabled oauth-app-connection-created
  oauth-app-connection-removed oauth-app-connection-updated oauth-app-created oauth-app-deleted
  oauth-app-secret-deleted oauth-app-secret-generated oauth-app-token-created oauth-app-updated
  observability-disabled observability-enabled observability-plus-project-disabled
  observability-plus-project-enabled owner-blocked owner-soft-blocked owner-soft-unblocked owner-unblocked
  passkey-created passkey-deleted passkey-updated password-protection-disabled password-protection-enabled
  payment-method-added payment-method-default-updated payment-method-removed plan preview-deployment-suffix-disabled
  preview-deployment-suffix-enabled preview-deployment-suffix-update production-branch-updated project-add-alias
  project-add-redirect project-affected-projects-deployments-updated project-alias-configured-change
  project-analytics-disabled project-analytics-enabled project-auto-assign-custom-production-domains-updated
  project-automation-bypass project-build-command-updated project-build-logs-and-source-protection-updated
  project-build-machine-updated project-client-cert-delete project-client-cert-upload project-connect-configurations
  project-created project-cron-jobs-toggled project-custom-environment-created project-custom-environment-deleted
  project-custom-environment-updated project-customer-success-code-visibility-updated project-delete
  project-deployment-retention-updated project-directory-listing project-domain-deleted project-domain-moved
  project-domain-unverified project-domain-updated project-domain-verified project-elastic-concurrency-updated
  project-framework-updated project-function-cpu-memory project-function-failover project-function-max-duration
  project-function-regions project-functions-fluid-disabled project-functions-fluid-enabled
  project-git-commit-comments-toggled project-git-create-deployments-toggled project-git-fork-protection-updated
  project-git-lfs-toggled project-git-pr-comments-toggled project-git-repository-connected
  project-git-repository-disconnected project-git-repository-dispatch-events-toggled
  project-git-require-verified-commits-toggled project-ignored-build-step-updated project-install-command-updated
  project-member-added project-member-invited project-member-removed project-member-removed-batch
  project-member-updated project-move-in-success project-move-out-failed project-move-out-started
  project-move-out-success project-name project-node-version-updated project-oidc-issuer-mode-updated
  project-oidc-token-created project-options-allowlist project-output-directory-updated project-password-protection
  project-paused project-preview-deployment-suffix project-preview-environment-branch-tracking-updated
  project-prioritize-production-builds-updated project-protected-sourcemaps-updated project-rolling-release-aborted
  project-rolling-release-approved project-rolling-release-completed project-rolling-release-configured
  project-rolling-release-disabled project-rolling-release-enabled project-rolling-release-started
  project-rolling-release-timer project-root-directory-updated project-routes-version-promoted
  project-routes-version-restored project-skew-protection-allowed-domains-updated
  project-skew-protection-max-age-updated project-skew-protection-threshold-updated
  project-source-files-outside-root-directory-updated project-speed-insights-disabled project-speed-insights-enabled
  project-sso-protection project-static-ips-updated project-trusted-ips project-unpaused
  project-web-analytics-disabled project-web-analytics-enabled protected-git-scope-added protected-git-scope-removed
  runtime-cache-purge-all scale scale-auto secondary-email-added secondary-email-removed secondary-email-verified
  secret-add secret-delete secret-rename security-plus-updated set-bio set-name set-profiles set-scale
  shared-env-variable-create shared-env-variable-delete shared-env-variable-read shared-env-variable-update
  show-ip-addresses signup signup-via-bitbucket signup-via-github signup-via-gitlab speed-insights-settings-updated
  spend-created spend-deleted spend-updated storage-accept-tos storage-access-token-set
  storage-accessed-data-browser storage-connect-project storage-create storage-delete storage-disconnect-project
  storage-disconnect-projects storage-inactive-store-deleted storage-reset-credentials storage-resource-repl-command
  storage-update storage-update-project-connection storage-view-secret strict-deployment-protection-settings
  subscription-created subscription-product-added subscription-product-removed subscription-updated team
  team-avatar-update team-delete team-email-domain-update team-ended-trial team-invite-bulk-delete
  team-invite-code-reset team-ip-blocking-rules-created team-ip-blocking-rules-removed team-member-add
  team-member-confirm-request team-member-decline-request team-member-delete team-member-entitlement-added
  team-member-entitlement-canceled team-member-entitlement-reactivated team-member-entitlement-removed
  team-member-join team-member-leave team-member-request-access team-member-role-update team-mfa-enforcement-updated
  team-name-update team-paid-invoice team-remote-caching-update team-saml-enforced team-saml-roles team-slug-update
  unlink-login-connection user-delete user-mfa-challenge-verified user-mfa-configuration-updated
  user-mfa-recovery-codes-regenerated user-mfa-removed user-mfa-totp-verification-started user-mfa-totp-verified
  user-primary-email-updated username v0-chat-created v0-chat-message-sent vercel-agent-team-trial-credits-applied
  vercel-app-installation-request-dismissed vercel-app-installation-requested vercel-app-installation-updated
  vercel-app-installed vercel-app-tokens-revoked vercel-app-uninstalled vercel-toolbar
  vpc-peering-connection-accepted vpc-peering-connection-deleted vpc-peering-connection-rejected
  vpc-peering-connection-updated web-analytics-tier-updated webhook-created webhook-deleted webhook-updated
  workflow-deployment-key-accessed
  `);

// Three of these were dropped again by 1.28.35; Reeve emits none of them.
const TYPES_1_21_9 = names(`
  agentic-provisioning-account-blocked agentic-provisioning-account-linked agentic-provisioning-account-relinked
  agentic-provisioning-account-unlinked agentic-provisioning-credentials-rotated agentic-provisioning-plan-changed
  agentic-provisioning-team-created ai-gateway-api-key-created ai-gateway-api-key-deleted
  ai-gateway-byok-credential-created ai-gateway-byok-credential-deleted ai-gateway-byok-credential-updated
  ai-omniagent aliases-assigned connect-attach-project connect-create-connector connect-delete-connector
  connect-delete-installation connect-detach-project connect-revoke-all-tokens connect-update-connector
  connect-update-trigger-destinations connect-upsert-installation custom-alert-created custom-alert-deleted
  custom-alert-updated deployment-check-created deployment-check-deleted deployment-check-updated domain-zone-change
  env-variable-masked env-variable-rotated firewall-config-modified firewall-config-removed flag-archived
  flag-created flag-deleted flag-unarchived flag-updated flags-sdk-key-added flags-sdk-key-deleted
  flags-sdk-key-read integration-configuration-transfer-in-success integration-configuration-transfer-out-success
  marketplace-integration-allowlist-updated page-integrity-config-updated page-integrity-header-approved
  page-integrity-resource-approved page-integrity-resource-deleted page-integrity-resource-rejected
  privatelink-endpoint-created privatelink-endpoint-deleted privatelink-endpoint-updated
  project-consolidated-git-commit-status-updated project-delegated-protection-disabled
  project-delegated-protection-enabled project-delegated-protection-updated project-deployment-policy-updated
  project-expiration-locked project-expiration-reached project-expiration-scheduled project-expiration-unlocked
  project-external-rewrite-caching-updated project-functions-beta-updated project-git-commit-status-toggled
  project-program-enrollment-changed project-rolling-release-continued project-rolling-release-paused
  project-rolling-release-suggested-actions-generated project-trusted-sources storage-set-locked
  storage-transfer-in-success storage-transfer-out-success storage-transfer-request-created
  storage-upgrade-project-connection-to-oidc strict-shareable-links team-default-build-machine-updated
  team-deployment-policy-updated team-domain-verification-created team-domain-verification-deleted
  team-domain-verification-verified team-emu-updated team-git-repository-dispatch-events-toggled
  team-git-require-verified-commits-toggled team-invite-link-created team-invite-link-deleted
  team-program-enrollment-changed team-tokens-invalidated user-token-created user-token-deleted user-tokens-deleted
  v0-chat-ai-usage vulnerability-banner-dismissed
  `);

const TYPES_1_28_35 = names(`
  admin-agentic-provisioning-account-unlinked admin-plan-updated admin-secondary-email-added
  admin-secondary-email-removed admin-team-name-update admin-team-slug-update admin-user-delete
  admin-user-primary-email-updated admin-username-updated ai-gateway-api-key-quota-updated
  ai-gateway-auto-reload-updated ai-gateway-budget-default-updated ai-gateway-byok-model-mappings-updated
  ai-gateway-credits-purchased ai-gateway-guardrails-updated ai-gateway-hipaa-compliance-toggled
  ai-gateway-inference-regions-updated ai-gateway-model-allowlist-models-updated ai-gateway-model-allowlist-toggled
  ai-gateway-private-model-created ai-gateway-private-model-deleted ai-gateway-private-model-updated
  ai-gateway-private-provider-created ai-gateway-private-provider-deleted ai-gateway-private-provider-updated
  ai-gateway-prompt-training-opt-out-toggled ai-gateway-provider-allowlist-providers-updated
  ai-gateway-provider-allowlist-toggled ai-gateway-rule-created ai-gateway-rule-deleted ai-gateway-rule-updated
  ai-gateway-scope-budget-updated ai-gateway-transcripts-default-disabled ai-gateway-transcripts-default-enabled
  ai-gateway-transcripts-disabled ai-gateway-transcripts-enabled ai-gateway-transcripts-retention-updated
  ai-gateway-virtual-model-config-archived ai-gateway-virtual-model-config-created
  ai-gateway-virtual-model-config-deleted ai-gateway-virtual-model-config-restored
  ai-gateway-virtual-model-config-updated ai-gateway-zero-data-retention-toggled
  alert-investigation-project-allowlist-updated billing-settings-updated code-owners-config-updated
  compliance-document-downloaded compliance-document-previewed compliance-documents-bulk-downloaded
  connect-import-tokens custom-environments-settings-updated custom-metric-metadata-deleted
  custom-metric-metadata-updated deployment-policy-blocked deployment-undeleted dns-record-internal
  domain-ech-change domain-zone-change-internal edge-cache-dangerously-delete-immutable-static
  edge-config-backup-restored emu-member-removed-unverified-domain enforce-disjunctive-production-secrets
  experiment-created experiment-deleted experiment-transitioned experiment-updated flags-transferred
  flat-rate-cdn-auto-upgrade-consent git-integration-repo-push git_account_integration_link_added
  global-config-backup-restored global-config-created global-config-deleted global-config-items-updated
  global-config-schema-deleted global-config-schema-updated global-config-token-created global-config-token-deleted
  global-config-transfer-in global-config-transfer-out global-config-updated
  integration-configuration-credential-revoked integration-configuration-credential-rotated
  integration-resource-redis-command-executed integration-resource-sql-query-executed kms-issuer-created
  kms-issuer-deleted kms-issuer-key-activated kms-issuer-key-created kms-issuer-key-revoked kms-issuer-key-rotated
  kms-issuer-policy-created kms-issuer-policy-deleted kms-issuer-policy-updated kms-issuer-updated
  login-connection-linked login-connection-unlinked marketplace-flex-commit-opt-in monitoring-alert-updated
  oidc-policy-created oidc-policy-deleted oidc-policy-updated oidc-policy-used-to-obtain-app-token
  organization-create organization-delete organization-dsync-group-delete organization-dsync-group-upsert
  organization-emu-team-updated organization-emu-updated organization-slug-update organization-team-add
  organization-team-create organization-team-delete organization-team-sso-update page-integrity-header-rejected
  page-integrity-inventory-cleared page-integrity-script-approval-rule-created
  page-integrity-script-approval-rule-deleted passport-access-granted project-avatar-update
  project-card-widget-preference-updated project-custom-environment-schedules-default-updated
  project-git-credential-bound-created project-git-credential-bound-deleted project-git-credential-bound-updated
  project-git-credential-grant-created project-git-credential-grant-deleted project-git-credential-grant-updated
  project-passport-updated project-rollback-description-updated project-sandbox-config-updated
  project-sandbox-url-protection-updated project-speed-insights-free-data-started repository-ci-env-variable-create
  repository-ci-env-variable-delete repository-ci-env-variable-update saml-connection-created
  saml-connection-deleted sandbox-alias-assigned sandbox-alias-delete sandbox-drive-created sandbox-drive-deleted
  sandbox-signed-commit-identity-configured sandbox-snapshot-regions-updated security-list-created
  security-list-deleted security-list-updated shared-env-variable-repo-link shared-env-variable-repo-unlink
  sso-login strict-connectors strict-password-protection-settings support-session-created
  team-agent-billing-migration-decision-changed team-collaboration-settings-updated team-default-passport-updated
  team-firewall-config-modified team-firewall-config-promoted team-member-sso-authorization-attempt
  team-remote-caching-purge tracing-configured tracing-disabled tracing-paused tracing-resumed
  update-account-flow-dismissed update-account-flow-triggered user-auto-block-configured user-blocked
  user-delete-requested user-emu-account-archived user-emu-account-deleted user-emu-account-recovered
  user-emu-account-update-opted-in user-emu-account-update-opted-out user-emu-recovery-email-sent
  user-emu-recovery-initiated user-emu-toggled user-mfa-challenge-failed user-mfa-challenge-initiated
  user-mfa-change-failed user-mfa-recovery-code-used user-mfa-setup-skipped user-phone-removed user-phone-updated
  user-provider-email-claim-evaluated user-sudo-mode-removed user-unblocked vcr-image-deleted vcr-image-pushed
  vcr-repository-created vcr-repository-deleted vcr-repository-permission-added vcr-repository-permission-removed
  vcr-repository-permissions-cleared vcr-repository-visibility-changed vercel-agent-elevated-permissions-approved
  vercel-agent-elevated-permissions-requested vercel-agent-session-created
  `);

/** Oldest first. Clients before the first release read neither types nor categories. */
export const KNOWN_NAMES: readonly KnownNames[] = [
  {
    since: [1, 0, 0],
    types: new Set(),
    categories: new Set(),
    entities: names(`
      author bitbucket_login bold deployment_host dns_record edge-config env_var_name flag flags-segment flags-settings
      git_link github_login gitlab_login hook_name integration link project_name scaling_rules store system target
    `),
    principals: names("user app"),
  },
  {
    since: [1, 19, 11],
    types: TYPES_1_19_11,
    categories: new Set(),
    entities: names("app"),
    principals: new Set(),
  },
  {
    since: [1, 21, 9],
    types: TYPES_1_21_9,
    categories: names(`
      account ai ai-gateway billing deployment domain edge env-variable feature-flags firewall integration
      microfrontends network observability other project security storage team v0 vercel-app workflow
    `),
    entities: new Set(),
    principals: new Set(),
  },
  {
    since: [1, 28, 35],
    types: TYPES_1_28_35,
    categories: names("connect"),
    entities: names("deployment_inspector"),
    principals: names("external system"),
  },
];

/** Every event type that any release of the public API has named. */
export const PUBLIC_EVENT_TYPES: ReadonlySet<string> = new Set(KNOWN_NAMES.flatMap(({ types }) => [...types]));
