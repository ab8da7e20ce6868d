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
import { TEXTS, fill } from "../../texts.ts";
import { OneDelivery } from "./one-delivery.tsx";
import type { Delivery } from "./one-delivery.tsx";

const T = TEXTS.deliveries;

function outcomeOf({ status, errorStage }: Pick<Delivery, "status" | "errorStage">): string {
  if (errorStage !== null) return fill(T.noResponse, { stage: errorStage });
  return status === null ? "" : fill(T.status, { status });
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
        {isOfAll && <SearchChoice name="webhook" label={T.webhook} every={T.everyWebhook} choices={urls} />}
        <SearchChoice name="state" label={T.state} every={T.everyState} choices={T.states} />
        <SearchChoice name="status" label={T.response} every={T.everyResponse} choices={T.responses} />
        <SearchTime name="since" label={T.since} error={list.error} />
        <SearchTime name="until" label={T.until} error={list.error} />
      </search>
      <ApiList list={list} isEmpty={deliveries.length === 0} empty={<Empty title={T.empty} hint={T.emptyHint} />}>
        <Table
          columns={[T.event, ...(isOfAll ? [T.webhook] : []), T.state, T.outcome, T.when]}
          actions={TEXTS.list.actions}
        >
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
                {T.states[delivery.state]}
                {delivery.nextAttemptAt !== null && (
                  <span className="quiet">
                    {" · "}
                    {T.next} <Time at={delivery.nextAttemptAt} />
                  </span>
                )}
              </td>
              <td>{outcomeOf(delivery)}</td>
              <td>
                <Time at={delivery.createdAt} />
              </td>
              <td className="actions">
                <Button kind="plain" onClick={() => setOpened(delivery)}>
                  {T.open}
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
