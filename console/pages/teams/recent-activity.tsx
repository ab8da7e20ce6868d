// What happened lately in a team: who in bold, and the thing as a link where it has a page.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import type { Event } from "../../api/objects.ts";
import { useEvents } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { projectHref, projectPageHref } from "../../parts/project.tsx";
import { Time } from "../../parts/time.tsx";
import { Actor, actorOf } from "../events/actor.tsx";

const RECENT = 10;

interface Kind {
  readonly types: RegExp;
  /** What precedes the thing's name, the name, and for an environment its project. */
  readonly names: RegExp;
  readonly hrefOf: (teamId: string, name: string, event: Event, project: string) => string;
}

const KINDS: readonly Kind[] = [
  {
    types: /^secret-(?!delete|destroy)/,
    names: /( secret (?:\S+ to )?)(\S+)/,
    hrefOf: (teamId, name) => ADDRESSES.secret.replace(":team", teamId).replace(":name", encodeURIComponent(name)),
  },
  {
    types: /^environment-(?!deleted)/,
    names: /( the environment )(\S+) of (\S+)/,
    hrefOf: (teamId, name, _event, project) =>
      projectHref(ADDRESSES.environment.replace(":environment", encodeURIComponent(name)), teamId, project),
  },
  {
    types: /^(?:firewall|project)/,
    names: /( the (?:firewall of|project) )(\S+)$/,
    hrefOf: (teamId, name) => projectPageHref(teamId, name),
  },
  {
    types: /^webhook-(?!delete)/,
    names: /( the webhook to )([^\s,]+)/,
    hrefOf: (teamId, _name, { entityId }) =>
      ADDRESSES.webhook.replace(":team", teamId).replace(":webhook", encodeURIComponent(entityId)),
  },
];

function Rest({ text, event }: { readonly text: string; readonly event: Event }): ReactNode {
  const teamId = useTeamId();
  const kind = KINDS.find(({ types }) => types.test(event.type ?? ""));
  const found = kind?.names.exec(text);
  if (!kind || !found) return text;
  const [, before = "", name = "", project = ""] = found;
  const at = found.index + before.length;
  return (
    <>
      {text.slice(0, at)}
      <Link href={kind.hrefOf(teamId, name, event, project)}>{name}</Link>
      {text.slice(at + name.length)}
    </>
  );
}

function Sentence({ event }: { readonly event: Event }): ReactNode {
  const actor = actorOf(event);
  const rest = event.text.startsWith(actor) ? event.text.slice(actor.length) : ` ${event.text}`;
  return (
    <>
      <strong>{actor}</strong>
      <Rest text={rest} event={event} />
    </>
  );
}

export function RecentActivity(): ReactNode {
  const teamId = useTeamId();
  const list = useEvents({ teamId, limit: RECENT });
  const events = list.data?.pages[0]?.events ?? [];
  return (
    <section className="panel">
      <header>
        <h2>Recent activity</h2>
        <Link href={ADDRESSES.events.replace(":team", teamId)}>All events</Link>
      </header>
      {list.isPending && <Skeleton rows={3} />}
      {list.error && <Problem error={list.error} retry={() => void list.refetch()} />}
      <ul className="rows">
        {events.map((event) => (
          <li key={event.id}>
            <Actor event={event} />
            <span className="grow">
              <Sentence event={event} />
            </span>
            <Time at={event.createdAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}
