// What happened in a team, newest first, with filters that are links, and one event beside the list.
import { Radio, ShieldCheck } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useLiveEvents } from "../../api/live-events.ts";
import { ADDRESSES } from "../../addresses.ts";
import type { Event } from "../../api/objects.ts";
import { usePeople } from "../../api/people.ts";
import { useEvents } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { useOpenedRow } from "../../parts/opened-row.ts";
import { PageActions } from "../../parts/page-title.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { SearchFilter } from "../../parts/select.tsx";
import { SearchDates } from "../../parts/search-dates.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { useProjectNames } from "../../parts/project.tsx";
import { TypeFilter } from "../../parts/type-filter.tsx";
import { Actor, actorOf } from "./actor.tsx";
import { Export } from "./export.tsx";
import { OneEvent } from "./one-event.tsx";
import { VerifyDialog } from "./verify-dialog.tsx";

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });

/** The sentence, with its first word for a head. */
function Sentence({ event, href }: { readonly event: Event; readonly href: string }): ReactNode {
  const actor = actorOf(event);
  const rest = event.text.startsWith(actor) ? event.text.slice(actor.length) : ` ${event.text}`;
  return (
    <RowName picture={<Actor event={event} />}>
      <Link href={href}>
        {actor}
        <span className="rest">{rest}</span>
      </Link>
    </RowName>
  );
}

/** What the object is called, as far as the event says it. */
function objectOf({ entityId, payload, previous, next }: Event): string {
  const { name, slug } = { ...previous, ...next, ...payload } as Readonly<Record<string, unknown>>;
  return ([name, slug].find((one) => typeof one === "string" && one !== "") as string | undefined) ?? entityId;
}

function columnsOf(teamId: string, hrefOf: (event: Event) => string): readonly Column<Event>[] {
  const events = ADDRESSES.events.replace(":team", encodeURIComponent(teamId));
  return [
    {
      title: "Time",
      cell: ({ createdAt }) => <time dateTime={new Date(createdAt).toISOString()}>{CLOCK.format(createdAt)}</time>,
    },
    {
      title: "What happened",
      isName: true,
      cell: (event) => <Sentence event={event} href={hrefOf(event)} />,
    },
    {
      title: "Object",
      leaves: "narrow",
      cell: (event) => <Link href={`${events}?entity=${encodeURIComponent(event.entityId)}`}>{objectOf(event)}</Link>,
    },
    { title: "Type", leaves: "narrow", cell: ({ type }) => <code>{type}</code> },
  ];
}

function ProjectFilter(): ReactNode {
  const names = (useProjectNames() ?? []).map((name) => [name, name]);
  return <SearchFilter name="projects" label="Project" choices={Object.fromEntries(names)} />;
}

export function EventsPage(): ReactNode {
  const teamId = useTeamId();
  const [type] = useSearchValue("type");
  const [projectIds] = useSearchValue("projects");
  const [entityId, setEntityId] = useSearchValue("entity");
  const [principalId] = useSearchValue("person");
  const [since] = useSearchValue("since");
  const [until] = useSearchValue("until");
  const [live, setLive] = useSearchValue("live");
  const [isVerifying, setVerifying] = useState(false);
  // What happens from now on is after the end.
  const isLive = live !== "" && until === "";
  const people = usePeople(undefined, ({ username }) => username);
  const which = chosen({ types: type, entityId, principalId, projectIds });
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
  const opened = useOpenedRow("event", events, ({ sequence }) => String(sequence));
  return (
    <>
      <PageActions>
        <Button
          kind="plain"
          aria-pressed={isLive}
          disabledBecause={until === "" ? null : "Clear the end to follow what happens now"}
          onClick={() => setLive(isLive ? "" : "on")}
        >
          <Radio className="i" />
          {isLive ? "Stop following" : "Follow"}
        </Button>
        <Button kind="plain" onClick={() => setVerifying(true)}>
          <ShieldCheck className="i" />
          Verify the chain
        </Button>
        <Export query={filters} />
      </PageActions>
      <search className="filters">
        <SearchInput label="ID of the object" value={entityId} onChange={(text) => setEntityId(text.trim())} />
        <TypeFilter />
        <SearchFilter name="person" label="Person" choices={people} />
        <ProjectFilter />
        <SearchDates error={list.error} />
      </search>
      {newer.error && <Problem error={newer.error} />}
      <DataTable
        label="Events"
        list={list}
        rows={events}
        keyOf={({ sequence }) => String(sequence)}
        nameOf={({ text }) => text}
        columns={columnsOf(teamId, opened.hrefOf)}
        current={opened.key}
        groupOf={({ createdAt }) => DAY.format(createdAt)}
        empty={<Empty title="Nothing of this kind has happened" hint="Choose another type, or clear the filter." />}
      />
      {opened.key !== "" && (
        <OneEvent sequence={Number(opened.key)} listed={opened.row} onStep={opened.step} onClose={opened.close} />
      )}
      {isVerifying && <VerifyDialog onClose={() => setVerifying(false)} />}
    </>
  );
}
