// Who read the value of a secret, and when: events of its team.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import type { Secret } from "../../api/objects.ts";
import { useEvents } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Actor, actorOf } from "../events/actor.tsx";
import { DataTable } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

const TYPE = "secret-reveal";

function versionOf(payload: unknown): string {
  const { version } = (payload ?? {}) as { readonly version?: number };
  return version === undefined ? "" : String(version);
}

function Readers({ secret }: { readonly secret: Secret }): ReactNode {
  const teamId = useTeamId();
  const list = useEvents({ teamId, types: TYPE, entityId: secret.uid, withPayload: true });
  const events = list.data?.pages.flatMap((page) => page.events) ?? [];
  const href = `${ADDRESSES.events.replace(":team", encodeURIComponent(teamId))}?type=${TYPE}&entity=${secret.uid}`;
  return (
    <section>
      <header className="section">
        <h2>Read by</h2>
        {events.length > 0 && (
          <Link className="small" href={href}>
            All reads
          </Link>
        )}
      </header>
      <DataTable
        label="Read by"
        list={list}
        rows={events}
        keyOf={({ id }) => id}
        isWrapped
        columns={[
          {
            title: "Who",
            cell: (event) => (
              <span className="name">
                <Actor event={event} /> {actorOf(event)}
              </span>
            ),
          },
          { title: "Version", cell: ({ payload }) => versionOf(payload) },
          { title: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: "From", cell: ({ channel, ip }) => `${channel} ${ip ?? ""}`, leaves: "phone" },
        ]}
        empty={<p className="quiet">Nobody has read it since events are kept.</p>}
      />
    </section>
  );
}

/** Nothing for those who may not see events. */
export function SecretReaders({ secret }: { readonly secret: Secret }): ReactNode {
  return useMay("event:read") ? <Readers secret={secret} /> : null;
}
