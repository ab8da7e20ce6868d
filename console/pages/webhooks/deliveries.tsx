// The log of deliveries, to one webhook or to all of a team, with filters that are part of the address.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useApi, useDeliveries } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { timeOfField } from "../../parts/local-time.ts";
import { useOpenedRow } from "../../parts/opened-row.ts";
import { Empty } from "../../parts/placeholder.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { Segment } from "../../parts/segment.tsx";
import { SearchFilter } from "../../parts/select.tsx";
import { SearchDates } from "../../parts/search-dates.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { TypeFilter } from "../../parts/type-filter.tsx";
import { DELIVERY_STATES, DeliveryState, TestBadge, useTotals } from "./delivery-states.tsx";
import type { Delivery, State } from "./delivery-states.tsx";
import { OneDelivery } from "./one-delivery.tsx";

const RESPONSES = {
  "2xx": "2xx: success",
  "3xx": "3xx: redirect",
  "4xx": "4xx: refused",
  "5xx": "5xx: failed",
  none: "no response",
};

const keyOf = ({ id }: Delivery): string => id;

function columnsOf(
  urls: Readonly<Record<string, string>> | null,
  teamId: string,
  hrefOf: (delivery: Delivery) => string,
) {
  const columns: readonly (Column<Delivery> | null)[] = [
    { title: "State", cell: (delivery) => <DeliveryState delivery={delivery} /> },
    {
      title: "Event",
      isName: true,
      cell: (delivery) => (
        <RowName>
          <Link className="mono" href={hrefOf(delivery)}>
            {delivery.type}
          </Link>
          <TestBadge delivery={delivery} />
        </RowName>
      ),
    },
    urls && {
      title: "Webhook",
      leaves: "narrow",
      cell: ({ webhookId }) => (
        <Link href={ADDRESSES.webhook.replace(":team", encodeURIComponent(teamId)).replace(":webhook", webhookId)}>
          {urls[webhookId] ?? webhookId}
        </Link>
      ),
    },
    {
      title: "Response",
      isNumber: true,
      leaves: "phone",
      cell: ({ status, errorStage }) => (
        <code className={errorStage === null && status !== null && status < 300 ? undefined : "bad"}>
          {errorStage ?? status}
        </code>
      ),
    },
    {
      title: "Took",
      isNumber: true,
      leaves: "narrow",
      cell: ({ durationMs }) => durationMs !== null && `${durationMs.toLocaleString()} ms`,
    },
    { title: "Attempts", isNumber: true, leaves: "narrow", cell: ({ attempts }) => attempts },
    {
      title: "Next",
      leaves: "narrow",
      cell: ({ nextAttemptAt }) => nextAttemptAt !== null && <Time at={nextAttemptAt} />,
    },
    { title: "When", isNumber: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  return columns.filter((column) => column !== null);
}

/** The webhooks of the team by their ids. */
function useUrls() {
  const { data, isPending } = useApi("GET /v1/webhooks", { query: { teamId: useTeamId() } });
  return { urls: Object.fromEntries((data?.value ?? []).map(({ id, url }) => [id, url])), isPending };
}

const STATES: Readonly<Record<string, string>> = { "": "All", ...DELIVERY_STATES };

function States({ webhookId }: { readonly webhookId: string | undefined }): ReactNode {
  const [state, setState] = useSearchValue("state");
  const { shownOf } = useTotals(webhookId);
  const counts = Object.fromEntries(
    Object.entries(DELIVERY_STATES).flatMap(([one, label]) => {
      const count = shownOf(one as State);
      return count === undefined ? [] : [[label, count]];
    }),
  );
  const choose = (label: string): void => setState(Object.keys(STATES).find((one) => STATES[one] === label) ?? "");
  const values = Object.values(STATES);
  return <Segment label="State" values={values} counts={counts} value={STATES[state] ?? ""} onChange={choose} />;
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
  const [type] = useSearchValue("type");
  const [since] = useSearchValue("since");
  const [until] = useSearchValue("until");
  const times = { since: String(timeOfField(since) ?? ""), until: String(timeOfField(until) ?? "") };
  return useDeliveries({ teamId, ...chosen({ webhookId: fixed ?? webhookId, state, status, type, ...times }) });
}

export function Deliveries({ webhookId, why }: Props): ReactNode {
  const { urls, isPending } = useUrls();
  const teamId = useTeamId();
  const list = useFilteredDeliveries(webhookId);
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const [chosenWebhook] = useSearchValue("webhook");
  const opened = useOpenedRow("delivery", deliveries, keyOf);
  const ofWebhook = webhookId ?? opened.row?.webhookId;
  return (
    <>
      <search className="filters">
        <States webhookId={webhookId ?? (chosenWebhook || undefined)} />
        {webhookId === undefined && <SearchFilter name="webhook" label="Webhook" choices={urls} />}
        <TypeFilter />
        <SearchFilter name="status" label="Response" choices={RESPONSES} />
        <SearchDates error={list.error} />
      </search>
      <DataTable
        label="Deliveries"
        // Their URLs would make the rows higher.
        list={isPending ? { ...list, isPending } : list}
        rows={isPending ? [] : deliveries}
        keyOf={keyOf}
        nameOf={({ type }) => type}
        columns={columnsOf(webhookId === undefined ? urls : null, teamId, opened.hrefOf)}
        current={opened.key}
        empty={<Empty title="Nothing was sent" hint="Clear a filter, or wait for an event that a webhook wants." />}
      />
      {opened.key !== "" && ofWebhook !== undefined && (
        <OneDelivery
          webhookId={ofWebhook}
          url={urls[ofWebhook]}
          deliveryId={opened.key}
          why={why}
          onStep={opened.step}
          onClose={opened.close}
        />
      )}
    </>
  );
}
