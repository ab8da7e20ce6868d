// What happened in a team, newest first, with filters that are links.
import { useState } from "react";
import type { ReactNode } from "react";
import { useLiveEvents } from "../../api/live-events.ts";
import type { Event } from "../../api/objects.ts";
import { useApi, useApiPages, useEvents } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SearchChoice } from "../../parts/search-choice.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { SearchTime } from "../../parts/search-time.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { Time } from "../../parts/time.tsx";
import { Changes } from "./changes.tsx";
import { Export } from "./export.tsx";
import { VerifyDialog } from "./verify-dialog.tsx";
import { PageActions } from "../../parts/page-title.tsx";

function EventRow({ event }: { readonly event: Event }): ReactNode {
  const [, setPerson] = useSearchValue("person");
  return (
    <li>
      <details>
        <summary>
          <span className="event-text">{event.text}</span>
          <span className="quiet">
            <Time at={event.createdAt} />
          </span>
        </summary>
        <dl>
          <dt>Type</dt>
          <dd>
            <code>{event.type}</code>
          </dd>
          <dt>By</dt>
          <dd>
            {event.principal?.username ?? event.principal?.name ?? event.principalId}{" "}
            <Button kind="plain" onClick={() => setPerson(event.principalId)}>
              Only theirs
            </Button>
          </dd>
          <dt>Position in the chain</dt>
          <dd>{event.sequence}</dd>
          <dt>From</dt>
          <dd>
            {event.channel} {event.ip ?? ""}
          </dd>
          <dt>Request</dt>
          <dd>
            <code>{event.requestId}</code>
          </dd>
          <dt>Hash</dt>
          <dd>
            <code>{event.hash}</code>
          </dd>
        </dl>
        <Changes event={event} />
      </details>
    </li>
  );
}

function TypeFilter({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (type: string) => void;
}): ReactNode {
  const types = useApi("GET /v1/events/types", { query: { teamId: useTeamId() } }).data?.value.types ?? [];
  return (
    <select aria-label="Type" value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">Every type</option>
      {/* A link may have a pattern. */}
      {value !== "" && types.every(({ name }) => name !== value) && <option>{value}</option>}
      {types.map(({ name, description }) => (
        <option key={name} value={name} title={description}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Members by their ids: the first hundred; anybody else is chosen at an event of theirs. */
function usePeople(): Readonly<Record<string, string>> {
  const query = { limit: 100 };
  const members = useApiPages("GET /v2/teams/:teamId/members", { params: { teamId: useTeamId() }, query });
  const [first] = members.data?.pages ?? [];
  return Object.fromEntries((first?.members ?? []).map(({ uid, username }) => [uid, username]));
}

export function EventsPage(): ReactNode {
  const teamId = useTeamId();
  const [type, setType] = useSearchValue("type");
  const [entityId, setEntityId] = useSearchValue("entity");
  const [principalId] = useSearchValue("person");
  const [since] = useSearchValue("since");
  const [until] = useSearchValue("until");
  const [live, setLive] = useSearchValue("live");
  const [isVerifying, setVerifying] = useState(false);
  // What happens from now on is after the end.
  const isLive = live !== "" && until === "";
  const people = usePeople();
  const which = chosen({ types: type, entityId, principalId });
  const filters = { ...which, ...chosen({ since, until }) };
  const list = useEvents({ teamId, ...filters, withPayload: true });
  const read = list.data?.pages.flatMap((page) => page.events) ?? [];
  // From the newest one that was read on, so that none is missed in between.
  const after = isLive && list.data ? (read[0]?.sequence ?? 0) : null;
  const newer = useLiveEvents(
    { teamId, ...which, withPayload: true },
    { since: after, onMany: () => void list.refetch() },
  );
  const seen = new Set(read.map(({ id }) => id));
  const events = [...newer.events.filter(({ id }) => !seen.has(id)), ...read];
  return (
    <>
      <PageActions>
        <Button kind="plain" onClick={() => setVerifying(true)}>
          Verify the chain
        </Button>
        <Export query={filters} />
      </PageActions>
      <search className="tools">
        <TypeFilter value={type} onChange={setType} />
        <SearchInput label="Id of what it is about" value={entityId} onChange={(text) => setEntityId(text.trim())} />
        <Button
          kind="plain"
          aria-pressed={isLive}
          disabledBecause={until === "" ? null : "Clear the end to follow what happens now"}
          onClick={() => setLive(isLive ? "" : "on")}
        >
          {isLive ? "Stop following" : "Follow"}
        </Button>
      </search>
      <search className="filters">
        <SearchChoice name="person" label="By" every="Everybody" choices={people} />
        <SearchTime name="since" label="From" error={list.error} />
        <SearchTime name="until" label="Until" error={list.error} />
      </search>
      {newer.error && <Problem error={newer.error} />}
      <ApiList
        list={list}
        isEmpty={events.length === 0}
        empty={<Empty title="Nothing of this kind has happened" hint="Choose another type, or clear the filter." />}
      >
        <ul className="cards events">
          {events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ul>
      </ApiList>
      {isVerifying && <VerifyDialog onClose={() => setVerifying(false)} />}
    </>
  );
}
