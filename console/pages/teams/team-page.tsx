// The home of a team: what needs somebody, and what happened lately.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useEvents } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Time } from "../../parts/time.tsx";
import { Needs } from "./needs.tsx";

const LATELY = 10;

function Lately(): ReactNode {
  const teamId = useTeamId();
  const list = useEvents({ teamId, limit: LATELY });
  const events = list.data?.pages[0]?.events ?? [];
  return (
    <section className="panel">
      <header>
        <h2>Recent activity</h2>
        <Link href={`/teams/${teamId}/events`}>All events</Link>
      </header>
      {list.isPending && <Skeleton rows={3} />}
      {list.error && <Problem error={list.error} retry={() => void list.refetch()} />}
      <ul className="rows">
        {events.map(({ id, text, createdAt }) => (
          <li key={id}>
            <span className="grow">{text}</span>
            <Time at={createdAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function TeamPage(): ReactNode {
  return (
    <>
      <Needs />
      {useMay("event:read") && <Lately />}
    </>
  );
}
