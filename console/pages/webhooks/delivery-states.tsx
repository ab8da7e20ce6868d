// What the states of a delivery are called and look like.
import { CircleCheck, CircleSlash, CircleX, Clock, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";

export type Delivery = Output<"GET /v1/webhooks/:webhookId/deliveries/:deliveryId">["delivery"];

export const DELIVERY_STATES = { pending: "Waiting", delivered: "Delivered", failed: "Failed", skipped: "Skipped" };
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
