// What the states of a delivery are called and look like.
import { CircleCheck, CircleSlash, CircleX, Clock, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { MOST_COUNTED } from "../../../src/platform/kernel/counts.ts";
import type { Output } from "../../api/endpoints.ts";
import { useApi } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { formatUpTo } from "../../parts/numbers.ts";

export type Delivery = Output<"GET /v1/webhooks/:webhookId/deliveries/:deliveryId">["delivery"];

export const DELIVERY_STATES = { pending: "Waiting", delivered: "Delivered", failed: "Failed", skipped: "Skipped" };
export type State = keyof typeof DELIVERY_STATES;

/** How many deliveries are in each state, as it is shown, and the last that succeeded: of a webhook, or of all that the team has. */
export function useTotals(webhookId?: string) {
  const query = { teamId: useTeamId(), state: "delivered", limit: 1, withCounts: true };
  const found = useApi("GET /v1/webhook-deliveries", {
    query: webhookId === undefined ? query : { ...query, webhookId },
  });
  const counts = found.data?.value.counts;
  const shownOf = (state: State) => counts && formatUpTo(counts[state], MOST_COUNTED);
  return { shownOf, last: found.data?.value.deliveries[0] };
}

const LOOKS = {
  pending: { tone: "warn", Icon: Clock },
  delivered: { tone: "good", Icon: CircleCheck },
  failed: { tone: "bad", Icon: CircleX },
  skipped: { tone: "", Icon: CircleSlash },
};

export function DeliveryState({ delivery: { state, attempts } }: { readonly delivery: Delivery }): ReactNode {
  const isRetrying = state === "pending" && attempts > 0;
  const { tone, Icon } = isRetrying ? { tone: "warn", Icon: RefreshCw } : LOOKS[state];
  return (
    <span className={`badge ${tone}`}>
      <Icon className="i i-s" />
      {isRetrying ? "Retrying" : DELIVERY_STATES[state]}
    </span>
  );
}

/** Of a test: no event is behind it. */
export function TestBadge({ delivery }: { readonly delivery: Delivery }): ReactNode {
  return delivery.type === "test-webhook" && <span className="badge info">Test</span>;
}
