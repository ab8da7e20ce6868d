// Refuses URLs that webhooks may not reach, unknown event types, and unknown projects.
import { isAdministrator } from "../../platform/kernel/caller.ts";
import type { Scope } from "../../platform/kernel/caller.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { checkDestination, explainProblems } from "../../platform/kernel/network/egress.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import type { Awaitable, Tx } from "../../platform/kernel/tx.ts";
import { checkSubscription } from "../events/subscription.ts";
import type { WebhookSettings } from "./store.ts";
import { projectsOf } from "./view.ts";

/** The projects of an owner that exist, of a JSON array of ids. */
export type FindProjects = (
  tx: Tx,
  asked: { readonly ownerId: string; readonly ids: string },
) => Awaitable<readonly { readonly id: string }[]>;

export function requireDestination(
  { instance, caller }: Pick<Call, "instance" | "caller">,
  url: string | undefined,
): void {
  if (url === undefined) return;
  const destination = checkDestination(url, instance.egress);
  if ("url" in destination) return;
  const { problems } = destination;
  const problem = explainProblems(problems, { isOperator: isAdministrator(caller) });
  throw fieldError("invalid_webhook", "body.url", problem, {}, explainProblems(problems, { isOperator: true }));
}

export function requireKnownEvents(events: readonly string[] | undefined, field = "body.events"): void {
  for (const [at, name] of (events ?? []).entries()) {
    const problem = checkSubscription(name);
    if (problem !== null) {
      throw fieldError("unknown_event", `${field}[${at}]`, problem);
    }
  }
}

/**
 * Refuses projects that do not exist: a webhook for a mistyped one would receive nothing, and nobody would see why. A filter begins no
 * project, unlike a change of one. Those that the webhook has already are not looked for.
 */
export async function requireKnownProjects(
  tx: Tx,
  findProjects: FindProjects,
  before: Pick<WebhookSettings, "projectIds">,
  {
    scope: { ownerId },
    body,
  }: { readonly scope: Pick<Scope, "ownerId">; readonly body: { readonly projectIds?: readonly string[] | null } },
): Promise<void> {
  const { projectIds } = body;
  const added = projectIds?.filter((id) => !projectsOf(before)?.includes(id)) ?? [];
  if (!projectIds || added.length === 0) return;
  const found = await findProjects(tx, { ownerId, ids: JSON.stringify(added) });
  const unknown = added.find((id) => !found.some((project) => project.id === id));
  if (unknown === undefined) return;
  const problem =
    `expected projects that exist, got ${JSON.stringify(unknown)}: GET /v9/projects lists them, and POST /v11/projects ` +
    "or another first change of a project begins it";
  throw fieldError("invalid_webhook", `body.projectIds[${projectIds.indexOf(unknown)}]`, problem);
}
