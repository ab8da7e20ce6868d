// The names of webhook events that the public API's generated clients know. A client rejects a whole response for a name outside
// the list of its release.
// Source: the published packages of @vercel/sdk, 1.1.0 to 1.28.35.
import type { Release } from "./public-names.ts";

/** For each release, the names that every client since then knows. Some older clients knew `comment.*`, which was dropped again. */
export const PUBLIC_WEBHOOK_NAMES = [
  {
    since: [1, 1, 0],
    names: [
      "budget.reached",
      "deployment",
      "deployment-canceled",
      "deployment-check-rerequested",
      "deployment-checks-completed",
      "deployment-error",
      "deployment-prepared",
      "deployment-ready",
      "deployment.canceled",
      "deployment.check-rerequested",
      "deployment.created",
      "deployment.error",
      "deployment.integration.action.cancel",
      "deployment.integration.action.cleanup",
      "deployment.integration.action.start",
      "deployment.promoted",
      "deployment.ready",
      "deployment.succeeded",
      "domain-created",
      "domain.created",
      "edge-config.created",
      "edge-config.deleted",
      "edge-config.items.updated",
      "firewall.attack",
      "integration-configuration-permission-updated",
      "integration-configuration-removed",
      "integration-configuration-scope-change-confirmed",
      "integration-configuration.permission-upgraded",
      "integration-configuration.removed",
      "integration-configuration.scope-change-confirmed",
      "marketplace.invoice.created",
      "marketplace.invoice.notpaid",
      "marketplace.invoice.paid",
      "marketplace.invoice.refunded",
      "observability.anomaly",
      "project-created",
      "project-removed",
      "project.created",
      "project.removed",
      "test-webhook",
    ],
  },
  { since: [1, 3, 1], names: ["integration-resource.project-connected", "integration-resource.project-disconnected"] },
  {
    since: [1, 7, 1],
    names: [
      "project.rolling-release.aborted",
      "project.rolling-release.approved",
      "project.rolling-release.completed",
      "project.rolling-release.started",
    ],
  },
  { since: [1, 7, 7], names: ["project.domain.verified"] },
  {
    since: [1, 8, 2],
    names: [
      "domain.auto-renew.changed",
      "domain.certificate.add",
      "domain.certificate.add.failed",
      "domain.certificate.deleted",
      "domain.certificate.renew",
      "domain.certificate.renew.failed",
      "domain.dns.records.changed",
      "domain.renewal",
      "domain.renewal.failed",
      "domain.transfer-in.completed",
      "domain.transfer-in.failed",
      "domain.transfer-in.started",
      "project.domain.created",
      "project.domain.deleted",
      "project.domain.moved",
      "project.domain.unverified",
      "project.domain.updated",
    ],
  },
  { since: [1, 9, 0], names: ["deployment.checkrun.start"] },
  { since: [1, 10, 0], names: ["deployment.checkrun.cancel"] },
  { since: [1, 10, 4], names: ["deployment.checks.failed", "deployment.checks.succeeded"] },
  { since: [1, 10, 7], names: ["deployment.cleanup", "observability.anomaly-error"] },
  { since: [1, 11, 0], names: ["marketplace.member.changed"] },
  { since: [1, 14, 0], names: ["observability.error-anomaly", "observability.usage-anomaly"] },
  { since: [1, 17, 3], names: ["integration-configuration.transferred"] },
  { since: [1, 18, 1], names: ["firewall.custom-rule-anomaly", "firewall.system-rule-anomaly"] },
  { since: [1, 18, 5], names: ["alerts.triggered", "botid.anomaly"] },
  { since: [1, 18, 6], names: ["project.renamed"] },
  { since: [1, 18, 10], names: ["ai-gateway.auto-reload.limit-reached", "ai-gateway.balance-depleted"] },
  {
    since: [1, 19, 2],
    names: ["project.env-variable.created", "project.env-variable.deleted", "project.env-variable.updated"],
  },
  { since: [1, 19, 6], names: ["marketplace.invoice.overdue"] },
  {
    since: [1, 19, 8],
    names: [
      "deployment.rollback",
      "message.created",
      "message.deleted",
      "message.mentioned",
      "message.reaction-added",
      "message.reaction-removed",
      "message.updated",
      "thread.resolved",
      "thread.unresolved",
    ],
  },
  {
    since: [1, 19, 26],
    names: [
      "comment.created",
      "comment.deleted",
      "comment.mentioned",
      "comment.reaction-added",
      "comment.reaction-removed",
      "comment.resolved",
      "comment.unresolved",
      "comment.updated",
      "flag.created",
      "flag.deleted",
      "flag.segment.created",
      "flag.segment.deleted",
      "flag.segment.updated",
      "flag.updated",
    ],
  },
  {
    since: [1, 19, 37],
    names: ["deployment.build-requested", "function.archival-required", "function.removal-required"],
  },
  { since: [1, 21, 1], names: ["deployment.blocked"] },
] as const satisfies readonly { readonly since: Release; readonly names: readonly string[] }[];

export type PublicWebhookName = (typeof PUBLIC_WEBHOOK_NAMES)[number]["names"][number];

/** The event of a test delivery. It cannot be published, because every webhook would then look as if it were being tested. */
export const TEST_NAME = "test-webhook";

export type PublishableName = Exclude<PublicWebhookName, typeof TEST_NAME>;

export const PUBLISHABLE_NAMES: readonly PublishableName[] = PUBLIC_WEBHOOK_NAMES.flatMap(({ names }) =>
  names.filter((name): name is Exclude<typeof name, typeof TEST_NAME> => name !== TEST_NAME),
);

/** The public Terraform provider spells these names differently and knows no other spelling. */
export const TERRAFORM_SPELLINGS: ReadonlyMap<string, PublicWebhookName> = new Map<string, PublicWebhookName>([
  ["domain.auto-renew-changed", "domain.auto-renew.changed"],
  ["domain.certificate-add", "domain.certificate.add"],
  ["domain.certificate-add-failed", "domain.certificate.add.failed"],
  ["domain.certificate-deleted", "domain.certificate.deleted"],
  ["domain.certificate-renew", "domain.certificate.renew"],
  ["domain.certificate-renew-failed", "domain.certificate.renew.failed"],
  ["domain.dns-records-changed", "domain.dns.records.changed"],
  ["domain.renewal-failed", "domain.renewal.failed"],
  ["domain.transfer-in-completed", "domain.transfer-in.completed"],
  ["domain.transfer-in-failed", "domain.transfer-in.failed"],
  ["domain.transfer-in-started", "domain.transfer-in.started"],
  ["project.domain-created", "project.domain.created"],
  ["project.domain-deleted", "project.domain.deleted"],
  ["project.domain-moved", "project.domain.moved"],
  ["project.domain-unverified", "project.domain.unverified"],
  ["project.domain-updated", "project.domain.updated"],
  ["project.domain-verified", "project.domain.verified"],
]);
