// One event beside the list: who, when, what changed, and its place in the chain.
import { Filter, User } from "lucide-react";
import type { ReactNode } from "react";
import type { Event } from "../../api/objects.ts";
import { useEvents } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Empty, Skeleton } from "../../parts/placeholder.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { Actor, actorOf } from "./actor.tsx";
import { Changes } from "./changes.tsx";

const WHEN = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

function Facts({ event }: { readonly event: Event }): ReactNode {
  return (
    <>
      <dl>
        <dt>Who</dt>
        <dd>
          <Actor event={event} /> {actorOf(event)}
        </dd>
        <dt>When</dt>
        <dd>{WHEN.format(event.createdAt)}</dd>
        <dt>From</dt>
        <dd>
          {event.channel} <code>{event.ip}</code>
        </dd>
        <dt>Type</dt>
        <dd>
          <code>{event.type}</code>
        </dd>
        <dt>Object</dt>
        <dd>
          <code>{event.entityId}</code>
        </dd>
      </dl>
      <Changes key={event.id} event={event} />
      <section>
        <header>
          <h3>Chain</h3>
        </header>
        <dl>
          <dt>Position</dt>
          <dd>{event.sequence}</dd>
          <dt>Hash</dt>
          <dd>
            <code className="cut">{event.hash}</code> <CopyButton text={event.hash} label="Copy hash" />
          </dd>
          <dt>Request</dt>
          <dd>
            <code>{event.requestId}</code>
          </dd>
        </dl>
      </section>
    </>
  );
}

interface Props {
  readonly sequence: number;
  /** Undefined: the list does not show it, such as one that a link leads to. */
  readonly listed: Event | undefined;
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}

export function OneEvent({ sequence, listed, onStep, onClose }: Props): ReactNode {
  const [, setType] = useSearchValue("type");
  const [, setPerson] = useSearchValue("person");
  const [, setEntity] = useSearchValue("entity");
  const query = { teamId: useTeamId(), withPayload: true, before: sequence + 1, limit: 1 };
  const found = useEvents(query, listed === undefined);
  const read = found.data?.pages[0]?.events[0];
  const event = listed ?? (read?.sequence === sequence ? read : undefined);
  return (
    <Drawer
      title={event?.text ?? "Event"}
      onStep={onStep}
      onClose={onClose}
      foot={
        event && (
          <>
            <Button kind="plain" onClick={() => setType(event.type ?? "")}>
              <Filter className="i" />
              Only this type
            </Button>
            <Button kind="plain" onClick={() => setEntity(event.entityId)}>
              <Filter className="i" />
              Only this object
            </Button>
            <Button kind="plain" onClick={() => setPerson(event.principalId)}>
              <User className="i" />
              Only theirs
            </Button>
          </>
        )
      }
    >
      {event && <Facts event={event} />}
      {!event && (found.isPending ? <Skeleton /> : <Empty title="No such event" hint="It is no longer kept." />)}
    </Drawer>
  );
}
