// Who read values of a project's environments, and when: events of the team.
import type { ReactNode } from "react";
import { useEvents } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { useProject } from "../../parts/project.tsx";
import { DataTable } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

/** More names than these are opened. */
const FEW = 6;

interface Read {
  readonly environment?: string;
  readonly names?: readonly string[];
}

function Names({ names }: { readonly names: readonly string[] }): ReactNode {
  const few = names.length > FEW ? names.slice(0, FEW) : names;
  const rest = names.slice(few.length);
  return (
    <>
      <code>{few.join(", ")}</code>
      {rest.length > 0 && (
        <details>
          <summary>and {rest.length} more</summary>
          <code>{rest.join(", ")}</code>
        </details>
      )}
    </>
  );
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
  const events = list.data?.pages.flatMap((page) => page.events) ?? [];
  const reads = events
    .map((event) => ({ event, read: (event.payload ?? {}) as Read }))
    .filter(({ read }) => environment === undefined || read.environment === environment)
    .filter(({ read }) => of === undefined || read.names?.includes(of));
  const none = list.hasNextPage
    ? `None of the newest ${events.length} reads of the project.`
    : "Nobody has read any since events are kept.";
  // Of one key, the others that were read with it do not matter.
  const hasNames = of === undefined;
  return (
    <section className="readers">
      <h2>Who read values</h2>
      <DataTable
        label="Who read values"
        list={list}
        rows={reads}
        keyOf={({ event }) => event.id}
        isWrapped
        columns={[
          { title: "What happened", cell: ({ event }) => event.text },
          ...(hasNames
            ? [{ title: "Names", cell: ({ read }: (typeof reads)[number]) => <Names names={read.names ?? []} /> }]
            : []),
          { title: "When", cell: ({ event }) => <Time at={event.createdAt} /> },
          { title: "From", cell: ({ event }) => `${event.channel} ${event.ip ?? ""}`, leaves: "phone" },
        ]}
        empty={<p className="quiet">{none}</p>}
      />
    </section>
  );
}

/** Nothing for those who may not see events. */
export function Readers(props: Props): ReactNode {
  return useMay("event:read") ? <List {...props} /> : null;
}
