// The webhooks of a team: where its events are sent, and whether that works.
import { Pause, Play, Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Output } from "../../api/endpoints.ts";
import { useApi, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import type { MenuEntry } from "../../parts/menu-entries.ts";
import { Empty } from "../../parts/placeholder.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { CreateWebhook } from "./create-webhook.tsx";
import { DeliveryStrip, HealthOf } from "./health.tsx";
import { PageActions, PageCount } from "../../parts/page-title.tsx";

type Webhook = Output<"GET /v1/webhooks">[number];

function columnsOf(teamId: string): readonly Column<Webhook>[] {
  return [
    {
      title: "Webhook",
      cell: ({ id, url, description }) => (
        <RowName below={description && <code>{url}</code>}>
          <Link href={`/teams/${teamId}/webhooks/${id}`}>{description ?? url}</Link>
        </RowName>
      ),
    },
    { title: "Events", cell: ({ events }) => <code>{events.join(", ")}</code>, leaves: "narrow" },
    { title: "24 hours", cell: ({ health }) => <DeliveryStrip health={health} />, leaves: "narrow" },
    { title: "State", cell: (webhook) => <HealthOf webhook={webhook} /> },
  ];
}

export function WebhooksPage(): ReactNode {
  const teamId = useTeamId();
  const [isCreating, setCreating] = useState(false);
  const why = useWhyNot("webhook:write");
  const list = useApi("GET /v1/webhooks", { query: { teamId, withHealth: true } });
  const update = useChange("PATCH /v1/webhooks/:webhookId");
  const webhooks = list.data?.value ?? [];
  const create = (
    <Button disabledBecause={why} onClick={() => setCreating(true)}>
      <Plus className="i" />
      New webhook
    </Button>
  );
  const actionsOf = ({ id, active }: Webhook): readonly MenuEntry[] => [
    {
      label: active ? "Deactivate" : "Activate",
      icon: active ? Pause : Play,
      whyNot: why,
      onSelect: () => update.mutate({ params: { webhookId: id }, query: { teamId }, body: { active: !active } }),
    },
  ];
  return (
    <>
      {webhooks.length > 0 && <PageActions>{create}</PageActions>}
      <PageCount list={list} count={webhooks.length} />
      {update.error && <Refusal error={update.error} retry={() => update.mutate(update.variables)} />}
      <DataTable
        label="Webhooks"
        list={list}
        rows={webhooks}
        keyOf={({ id }) => id}
        nameOf={({ url }) => url}
        columns={columnsOf(teamId)}
        actions={actionsOf}
        empty={
          <Empty title="The team has no webhooks yet" hint="A webhook tells a program of yours what happens here.">
            {create}
          </Empty>
        }
      />
      {isCreating && <CreateWebhook onClose={() => setCreating(false)} />}
    </>
  );
}
