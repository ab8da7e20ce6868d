// Whether a webhook works, in a word, and how its deliveries of the last day went.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { Strip } from "../../parts/strip.tsx";
import { Time } from "../../parts/time.tsx";

type Webhook = Output<"GET /v1/webhooks">[number];

const INACTIVE = {
  request: "Inactive",
  gone: "Inactive: its receiver is gone",
  failing: "Inactive: it failed for five days",
};

/** What people need to know of it, worst first. */
export function HealthOf({
  webhook,
}: {
  readonly webhook: Pick<Webhook, "active" | "inactiveReason" | "failingSince">;
}): ReactNode {
  if (!webhook.active) {
    const isAsked = webhook.inactiveReason === "request";
    return <span className={isAsked ? "badge" : "badge bad"}>{INACTIVE[webhook.inactiveReason ?? "request"]}</span>;
  }
  if (webhook.failingSince === null) return <span className="badge good">Healthy</span>;
  return (
    <span className="badge bad">
      Failing since <Time at={webhook.failingSince} />
    </span>
  );
}

const COUNT = new Intl.NumberFormat("en");

/** Nothing where the day is not counted. */
export function DeliveryStrip({ health }: { readonly health: Webhook["health"] }): ReactNode {
  if (!health) return null;
  const sum = (name: "delivered" | "failed" | "pending") =>
    COUNT.format(health.periods.reduce((total, one) => total + one[name], 0));
  const label = `In 24 hours: ${sum("delivered")} delivered, ${sum("failed")} failed, ${sum("pending")} waiting`;
  return <Strip periods={health.periods} label={label} />;
}
