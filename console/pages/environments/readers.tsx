// Who read values of a project's environments, and when: events of the team.
import type { ReactNode } from "react";
import { useEvents } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { useProject } from "../../parts/project.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { TEXTS, fill } from "../../texts.ts";

const T = TEXTS.environments;

interface Read {
  readonly environment?: string;
  readonly names?: readonly string[];
}

interface Props {
  /** Reads of this one, or of this key, alone. */
  readonly environment?: string;
  readonly of?: string;
}

function List({ environment, of }: Props): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const list = useEvents({ teamId, types: "environment-values-read", entityId: project, withPayload: true });
  const reads = (list.data?.pages.flatMap((page) => page.events) ?? [])
    .map((event) => ({ event, read: (event.payload ?? {}) as Read }))
    .filter(({ read }) => environment === undefined || read.environment === environment)
    .filter(({ read }) => of === undefined || read.names?.includes(of));
  return (
    <section>
      <h2>{T.readers}</h2>
      <ApiList list={list} isEmpty={reads.length === 0} empty={<p className="quiet">{T.nobody}</p>}>
        <Table columns={[T.who, T.names, T.when, T.from]}>
          {reads.map(({ event, read }) => (
            <tr key={event.id}>
              <th scope="row">{event.text}</th>
              <td>
                <code>{read.names?.join(", ")}</code>
              </td>
              <td>
                <Time at={event.createdAt} />
              </td>
              <td>{fill(TEXTS.events.fromWhere, { channel: event.channel, ip: event.ip ?? "" })}</td>
            </tr>
          ))}
        </Table>
      </ApiList>
    </section>
  );
}

/** Nothing for those who may not see events. */
export function Readers(props: Props): ReactNode {
  return useMay("event:read") ? <List {...props} /> : null;
}
