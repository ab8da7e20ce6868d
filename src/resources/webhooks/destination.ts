// Where a webhook sends, and what it is sent: refused with what was expected.
import type { Call } from "../../kernel/contract.ts";
import { checkDestination } from "../../kernel/egress.ts";
import { fieldError } from "../../kernel/errors.ts";
import { checkSubscription } from "../events/subscription.ts";

export function requireDestination({ instance }: Pick<Call, "instance">, url: string | undefined): void {
  if (url === undefined) return;
  const destination = checkDestination(url, instance.egress);
  if ("problem" in destination) {
    throw fieldError("invalid_webhook", "body.url", destination.problem);
  }
}

export function requireKnownEvents(events: readonly string[] | undefined, where = "body.events"): void {
  for (const [at, name] of (events ?? []).entries()) {
    const problem = checkSubscription(name);
    if (problem !== null) {
      const field = `${where}[${at}]`;
      throw fieldError("unknown_event", field, problem);
    }
  }
}
