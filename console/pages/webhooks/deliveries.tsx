// The log of deliveries, to one webhook or to all of a team, with filters that are part of the address.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useApi, useDeliveries } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { timeOfField } from "../../parts/local-time.ts";
import { Empty } from "../../parts/placeholder.tsx";
import { SearchChoice } from "../../parts/search-choice.tsx";
import { SearchTime } from "../../parts/search-time.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { DELIVERY_STATES } from "./delivery-states.ts";
import { OneDelivery } from "./one-delivery.tsx";
import type { Delivery } from "./one-delivery.tsx";

const RESPONSES = {
  "2xx": "2xx: success",
  "3xx": "3xx: redirect",
  "4xx": "4xx: refused",
  "5xx": "5xx: failed",
  none: "no response",
};

function outcomeOf({ status, errorStage }: Pick<Delivery, "status" | "errorStage">): string {
  if (errorStage !== null) return `no response (${errorStage})`;
  return status === null ? "" : `status ${status}`;
}

/** The webhooks of the team by their ids. */
function useUrls(): Readonly<Record<string, string>> {
  const webhooks = useApi("GET /v1/webhooks", { query: { teamId: useTeamId() } }).data?.value ?? [];
  return Object.fromEntries(webhooks.map(({ id, url }) => [id, url]));
}

interface Props {
  /** Undefined: to all of the team. */
  readonly webhookId?: string;
  readonly why: string | null;
}

function useFilteredDeliveries(fixed: string | undefined) {
  const teamId = useTeamId();
  const [webhookId] = useSearchValue("webhook");
  const [state] = useSearchValue("state");
  const [status] = useSearchValue("status");
  const [since] = useSearchValue("since");
  const [until] = useSearchValue("until");
  const times = { since: String(timeOfField(since) ?? ""), until: String(timeOfField(until) ?? "") };
  return useDeliveries({ teamId, ...chosen({ webhookId: fixed ?? webhookId, state, status, ...times }) });
}

export function Deliveries({ webhookId, why }: Props): ReactNode {
  const teamId = useTeamId();
  const [opened, setOpened] = useState<Delivery | null>(null);
  const urls = useUrls();
  const list = useFilteredDeliveries(webhookId);
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const isOfAll = webhookId === undefined;
  return (
    <>
      <search className="filters">
        {isOfAll && <SearchChoice name="webhook" label="Webhook" every="Every webhook" choices={urls} />}
        <SearchChoice name="state" label="State" every="Every state" choices={DELIVERY_STATES} />
        <SearchChoice name="status" label="Response" every="Every response" choices={RESPONSES} />
        <SearchTime name="since" label="From" error={list.error} />
        <SearchTime name="until" label="Until" error={list.error} />
      </search>
      <ApiList
        list={list}
        isEmpty={deliveries.length === 0}
        empty={<Empty title="Nothing was sent" hint="Clear a filter, or wait for an event that a webhook wants." />}
      >
        <Table columns={["Event", ...(isOfAll ? ["Webhook"] : []), "State", "Last attempt", "When"]} actions="Actions">
          {deliveries.map((delivery) => (
            <tr key={delivery.id}>
              <th scope="row">
                <code>{delivery.type}</code>
              </th>
              {isOfAll && (
                <td>
                  <Link
                    href={ADDRESSES.webhook
                      .replace(":team", encodeURIComponent(teamId))
                      .replace(":webhook", delivery.webhookId)}
                  >
                    {urls[delivery.webhookId] ?? delivery.webhookId}
                  </Link>
                </td>
              )}
              <td>
                {DELIVERY_STATES[delivery.state]}
                {delivery.nextAttemptAt !== null && (
                  <span className="quiet">
                    {" · "}
                    Next attempt <Time at={delivery.nextAttemptAt} />
                  </span>
                )}
              </td>
              <td>{outcomeOf(delivery)}</td>
              <td>
                <Time at={delivery.createdAt} />
              </td>
              <td className="actions">
                <Button kind="plain" onClick={() => setOpened(delivery)}>
                  Open
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      </ApiList>
      {opened && <OneDelivery delivery={opened} why={why} onClose={() => setOpened(null)} />}
    </>
  );
}
