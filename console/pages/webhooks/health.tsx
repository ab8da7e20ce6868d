// Whether a webhook works, in a word, and how its deliveries of the last day went.
import { CircleCheck, CircleX } from "lucide-react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { Strip } from "../../parts/strip.tsx";
import { Time, useNow } from "../../parts/time.tsx";
import { formatCount, formatShare } from "../../parts/numbers.ts";
import { useTotals } from "./delivery-states.tsx";

type Webhook = Output<"GET /v1/webhooks">[number];
type Health = NonNullable<Webhook["health"]>;

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
  if (webhook.failingSince === null)
    return (
      <span className="badge good">
        <CircleCheck className="i i-s" />
        Healthy
      </span>
    );
  return (
    <span className="badge bad">
      <CircleX className="i i-s" />
      <span>
        Failing since <Time at={webhook.failingSince} />
      </span>
    </span>
  );
}

const HOUR = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
/** Hours between the times below the bars. */
const AXIS_STEP_MS = 6 * 3_600_000;

function sumOf({ periods }: Health, name: "delivered" | "failed" | "pending"): number {
  return periods.reduce((total, one) => total + one[name], 0);
}

function labelOf(health: Health): string {
  const [delivered, failed, pending] = (["delivered", "failed", "pending"] as const).map((name) =>
    formatCount(sumOf(health, name)),
  );
  return `In 24 hours: ${delivered} delivered, ${failed} failed, ${pending} waiting`;
}

/** Nothing where the day is not counted. */
export function DeliveryStrip({ health }: { readonly health: Webhook["health"] }): ReactNode {
  return health && <Strip periods={health.periods} label={labelOf(health)} />;
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{children}</strong>
      </dd>
    </div>
  );
}

/** The day in full, and what it comes to. */
export function HealthCard({ webhookId, health }: { readonly webhookId: string; readonly health: Health }): ReactNode {
  const now = useNow();
  const { last, shownOf } = useTotals(webhookId);
  const [delivered, failed] = [sumOf(health, "delivered"), sumOf(health, "failed")];
  const lastAt = last?.lastAttemptAt ?? null;
  const share = delivered + failed === 0 ? "–" : formatShare(delivered / (delivered + failed));
  const begin = health.periods[0]?.at ?? now;
  return (
    <section className="panel">
      <h2>
        Health <span className="small">24 hours, 30 minutes a bar</span>
      </h2>
      <Strip periods={health.periods} label={labelOf(health)} isWide />
      <div className="strip-axis" aria-hidden="true">
        {Array.from({ length: 4 }, (_, at) => (
          <span key={at}>{HOUR.format(begin + at * AXIS_STEP_MS)}</span>
        ))}
        <span>now</span>
      </div>
      <dl className="figures">
        <Figure name="Delivered">{share}</Figure>
        <Figure name="Median response">{health.medianMs === null ? "–" : `${health.medianMs} ms`}</Figure>
        <Figure name="Waiting">{shownOf("pending") ?? "–"}</Figure>
        <Figure name="Last success">{lastAt === null ? "–" : <Time at={lastAt} />}</Figure>
      </dl>
    </section>
  );
}
