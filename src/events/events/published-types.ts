// The event types that callers publish (POST /v1/events), and the one that the test of a webhook sends: the names of public
// webhook events with their descriptions. The prefix of a name decides its categories.
import { PUBLISHABLE_NAMES } from "../../platform/kernel/clients/public-webhook-names.ts";
import type { PublicWebhookName, PublishableName } from "../../platform/kernel/clients/public-webhook-names.ts";
import type { EventCategory, EventTypeInfo } from "./types.ts";

export type PublishedType = PublishableName;

const DESCRIPTIONS: Readonly<Record<PublicWebhookName, string>> = {
  "ai-gateway.auto-reload.limit-reached": "Automatic top-ups of AI gateway credits reached their limit.",
  "ai-gateway.balance-depleted": "The balance of the AI gateway is used up.",
  "alerts.triggered": "An alert was triggered.",
  "botid.anomaly": "Bot detection saw something unusual.",
  "budget.reached": "A spending budget was reached.",
  "comment.created": "A comment was written.",
  "comment.deleted": "A comment was deleted.",
  "comment.mentioned": "Somebody was mentioned in a comment.",
  "comment.reaction-added": "Somebody reacted to a comment.",
  "comment.reaction-removed": "A reaction to a comment was taken back.",
  "comment.resolved": "A comment was resolved.",
  "comment.unresolved": "A resolved comment was opened again.",
  "comment.updated": "A comment was changed.",
  deployment: "A deployment was created (former name of `deployment.created`).",
  "deployment-canceled": "A deployment was canceled (former name of `deployment.canceled`).",
  "deployment-check-rerequested":
    "A check of a deployment was asked for again (former name of `deployment.check-rerequested`).",
  "deployment-checks-completed": "All checks of a deployment have ended.",
  "deployment-error": "A deployment failed (former name of `deployment.error`).",
  "deployment-prepared": "A deployment was built and waits for its checks.",
  "deployment-ready": "A deployment is ready (former name of `deployment.ready`).",
  "deployment.blocked": "A deployment was blocked.",
  "deployment.build-requested": "A build was asked for.",
  "deployment.canceled": "A deployment was canceled.",
  "deployment.check-rerequested": "A check of a deployment was asked for again.",
  "deployment.checkrun.cancel": "A running check of a deployment is to be canceled.",
  "deployment.checkrun.start": "A check of a deployment is to be started.",
  "deployment.checks.failed": "A check of a deployment failed.",
  "deployment.checks.succeeded": "All checks of a deployment succeeded.",
  "deployment.cleanup": "A deployment was removed and what belongs to it may be.",
  "deployment.created": "A deployment was created.",
  "deployment.error": "A deployment failed.",
  "deployment.integration.action.cancel": "An action of an integration on a deployment is to be canceled.",
  "deployment.integration.action.cleanup": "What an action of an integration on a deployment left is to be removed.",
  "deployment.integration.action.start": "An action of an integration on a deployment is to be started.",
  "deployment.promoted": "A deployment was promoted.",
  "deployment.ready": "A deployment is ready.",
  "deployment.rollback": "A project was rolled back to an earlier deployment.",
  "deployment.succeeded": "A deployment succeeded.",
  "domain-created": "A domain was added (former name of `domain.created`).",
  "domain.auto-renew.changed": "A domain's automatic renewal was switched.",
  "domain.certificate.add": "A certificate was added to a domain.",
  "domain.certificate.add.failed": "A certificate could not be added to a domain.",
  "domain.certificate.deleted": "A domain's certificate was deleted.",
  "domain.certificate.renew": "A domain's certificate was renewed.",
  "domain.certificate.renew.failed": "A domain's certificate could not be renewed.",
  "domain.created": "A domain was added.",
  "domain.dns.records.changed": "A domain's DNS records were changed.",
  "domain.renewal": "A domain was renewed.",
  "domain.renewal.failed": "A domain could not be renewed.",
  "domain.transfer-in.completed": "A domain was transferred in.",
  "domain.transfer-in.failed": "A domain could not be transferred in.",
  "domain.transfer-in.started": "A domain's transfer in has begun.",
  "edge-config.created": "An edge config was created.",
  "edge-config.deleted": "An edge config was deleted.",
  "edge-config.items.updated": "Items of an edge config were changed.",
  "firewall.attack": "A firewall saw an attack.",
  "firewall.custom-rule-anomaly": "A rule of a firewall met unusually many requests.",
  "firewall.system-rule-anomaly": "A system rule of a firewall met unusually many requests.",
  "flag.created": "A feature flag was created.",
  "flag.deleted": "A feature flag was deleted.",
  "flag.segment.created": "A segment of feature flags was created.",
  "flag.segment.deleted": "A segment of feature flags was deleted.",
  "flag.segment.updated": "A segment of feature flags was changed.",
  "flag.updated": "A feature flag was changed.",
  "function.archival-required": "A function has to be archived.",
  "function.removal-required": "A function has to be removed.",
  "integration-configuration-permission-updated":
    "An integration's permissions were changed (former name of `integration-configuration.permission-upgraded`).",
  "integration-configuration-removed":
    "An integration was removed (former name of `integration-configuration.removed`).",
  "integration-configuration-scope-change-confirmed":
    "A change of an integration's scope was confirmed (former name of `integration-configuration.scope-change-confirmed`).",
  "integration-configuration.permission-upgraded": "An integration was given more permissions.",
  "integration-configuration.removed": "An integration was removed.",
  "integration-configuration.scope-change-confirmed": "A change of an integration's scope was confirmed.",
  "integration-configuration.transferred": "An integration was transferred to another team.",
  "integration-resource.project-connected": "An integration's resource was connected with a project.",
  "integration-resource.project-disconnected": "An integration's resource was disconnected from a project.",
  "marketplace.invoice.created": "An invoice of the marketplace was created.",
  "marketplace.invoice.notpaid": "An invoice of the marketplace could not be paid.",
  "marketplace.invoice.overdue": "An invoice of the marketplace is overdue.",
  "marketplace.invoice.paid": "An invoice of the marketplace was paid.",
  "marketplace.invoice.refunded": "An invoice of the marketplace was refunded.",
  "marketplace.member.changed": "A member's access to an integration of the marketplace was changed.",
  "message.created": "A message was written.",
  "message.deleted": "A message was deleted.",
  "message.mentioned": "Somebody was mentioned in a message.",
  "message.reaction-added": "Somebody reacted to a message.",
  "message.reaction-removed": "A reaction to a message was taken back.",
  "message.updated": "A message was changed.",
  "observability.anomaly": "Something unusual was observed.",
  "observability.anomaly-error": "Unusually many errors were observed (former name of `observability.error-anomaly`).",
  "observability.error-anomaly": "Unusually many errors were observed.",
  "observability.usage-anomaly": "Unusual usage was observed.",
  "project-created": "A project was created (former name of `project.created`).",
  "project-removed": "A project was removed (former name of `project.removed`).",
  "project.created": "A project was created.",
  "project.domain.created": "A domain was added to a project.",
  "project.domain.deleted": "A domain was removed from a project.",
  "project.domain.moved": "A project's domain was moved to another project.",
  "project.domain.unverified": "A project's domain is no longer verified.",
  "project.domain.updated": "A project's domain was changed.",
  "project.domain.verified": "A project's domain was verified.",
  "project.env-variable.created": "An environment variable of a project was created.",
  "project.env-variable.deleted": "An environment variable of a project was deleted.",
  "project.env-variable.updated": "An environment variable of a project was changed.",
  "project.removed": "A project was removed.",
  "project.renamed": "A project was renamed.",
  "project.rolling-release.aborted": "A rolling release was aborted.",
  "project.rolling-release.approved": "A stage of a rolling release was approved.",
  "project.rolling-release.completed": "A rolling release was completed.",
  "project.rolling-release.started": "A rolling release was started.",
  "test-webhook": "A webhook is being tried out.",
  "thread.resolved": "A thread was resolved.",
  "thread.unresolved": "A resolved thread was opened again.",
};

/** The longest prefix of a name decides. */
const CATEGORIES_BY_PREFIX: Readonly<Record<string, readonly EventCategory[]>> = {
  "ai-gateway": ["ai-gateway"],
  alerts: ["observability"],
  botid: ["security"],
  budget: ["billing"],
  comment: ["other"],
  deployment: ["deployment"],
  domain: ["domain"],
  "edge-config": ["edge"],
  firewall: ["firewall", "security"],
  flag: ["feature-flags"],
  function: ["deployment"],
  integration: ["integration"],
  marketplace: ["integration"],
  "marketplace.invoice": ["integration", "billing"],
  message: ["other"],
  observability: ["observability"],
  project: ["project"],
  "project.domain": ["project", "domain"],
  "project.env-variable": ["project", "env-variable"],
  "project.rolling-release": ["project", "deployment"],
  test: ["other"],
  thread: ["other"],
};

function categoriesOf(name: string): readonly EventCategory[] {
  const prefixes = Object.keys(CATEGORIES_BY_PREFIX).filter((prefix) => name.startsWith(prefix));
  const longest = prefixes.toSorted((a, b) => b.length - a.length)[0] as string;
  return CATEGORIES_BY_PREFIX[longest] as readonly EventCategory[];
}

/** Every public name with its description and categories. */
export const PUBLIC_TYPES: readonly (readonly [name: string, info: EventTypeInfo])[] = Object.entries(DESCRIPTIONS).map(
  ([name, description]) => [name, { description, categories: categoriesOf(name) }] as const,
);

const publishable: ReadonlySet<string> = new Set(PUBLISHABLE_NAMES);

export function isPublishable(name: string): name is PublishedType {
  return publishable.has(name);
}
