// Where a webhook sends, and what it is sent: refused with what was expected.
import type { Call } from "../../kernel/contract.ts";
import { checkDestination } from "../../kernel/egress.ts";
import { ApiError } from "../../kernel/errors.ts";
import { checkSubscription } from "../events/subscription.ts";

export function requireDestination({ instance }: Pick<Call, "instance">, url: string | undefined): void {
  if (url === undefined) return;
  const destination = checkDestination(url, instance.egress);
  if ("problem" in destination) {
    throw new ApiError("invalid_webhook", `body.url: ${destination.problem}`, { field: "body.url" });
  }
}

export function requireKnownEvents(events: readonly string[] | undefined, where = "body.events"): void {
  for (const [at, name] of (events ?? []).entries()) {
    const problem = checkSubscription(name);
    if (problem !== null) {
      const field = `${where}[${at}]`;
      throw new ApiError("unknown_event", `${field}: ${problem}`, { field });
    }
  }
}
