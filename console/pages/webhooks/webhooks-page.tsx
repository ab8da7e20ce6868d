// The webhooks of a team: where its events are sent, and whether that works.
import { Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Output } from "../../api/endpoints.ts";
import { useApi } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { CreateWebhook } from "./create-webhook.tsx";
import { PageActions } from "../../parts/page-title.tsx";

const INACTIVE = {
  request: "deactivated",
  gone: "disabled: its receiver is gone",
  failing: "disabled: it failed for five days",
};

type Webhook = Output<"GET /v1/webhooks">[number];

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
  if (webhook.failingSince === null) return <span className="badge good">works</span>;
  return (
    <span className="badge warn">
      fails; the first failure was <Time at={webhook.failingSince} />
    </span>
  );
}

export function WebhooksPage(): ReactNode {
  const teamId = useTeamId();
  const [isCreating, setCreating] = useState(false);
  const why = useWhyNot("webhook:write");
  const list = useApi("GET /v1/webhooks", { query: { teamId } });
  // What is shown stays while the server is gone: something may have been typed there.
  const problem = list.error && <Problem error={list.error} retry={() => void list.refetch()} />;
  if (!list.data) return problem ?? <Skeleton />;
  const webhooks = list.data.value;
  const create = (
    <Button disabledBecause={why} onClick={() => setCreating(true)}>
      <Plus className="i" />
      New webhook
    </Button>
  );
  return (
    <>
      {problem}
      {webhooks.length === 0 ? (
        <Empty title="The team has no webhooks yet" hint="A webhook tells a program of yours what happens here.">
          {create}
        </Empty>
      ) : (
        <>
          <PageActions>{create}</PageActions>
          <Table columns={["URL", "Events", "State"]}>
            {webhooks.map((webhook) => (
              <tr key={webhook.id}>
                <th scope="row">
                  <Link href={`/teams/${teamId}/webhooks/${webhook.id}`}>{webhook.url}</Link>
                  <span className="quiet">{webhook.description}</span>
                </th>
                <td>
                  <code>{webhook.events.join(", ")}</code>
                </td>
                <td>
                  <HealthOf webhook={webhook} />
                </td>
              </tr>
            ))}
          </Table>
        </>
      )}
      {isCreating && <CreateWebhook onClose={() => setCreating(false)} />}
    </>
  );
}
