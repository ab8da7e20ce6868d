// Refuses URLs that webhooks may not reach, and unknown event types.
import { isAdministrator } from "../../platform/kernel/caller.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { checkDestination, explainProblems } from "../../platform/kernel/network/egress.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { checkSubscription } from "../events/subscription.ts";

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
