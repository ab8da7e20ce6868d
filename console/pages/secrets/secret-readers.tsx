// Who read the value of a secret, and when: events of its team.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import type { Secret } from "../../api/objects.ts";
import { useEvents } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Table } from "../../parts/table.tsx";
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
      <h2>Read by</h2>
      <ApiList
        list={list}
        isEmpty={events.length === 0}
        empty={<p className="quiet">Nobody has read it since events are kept.</p>}
      >
        <Table columns={["What happened", "Version", "When", "From"]}>
          {events.map(({ id, text, payload, createdAt, channel, ip }) => (
            <tr key={id}>
              <th scope="row">{text}</th>
              <td>{versionOf(payload)}</td>
              <td>
                <Time at={createdAt} />
              </td>
              <td>
                {channel} {ip ?? ""}
              </td>
            </tr>
          ))}
        </Table>
        <Link href={href}>As events</Link>
      </ApiList>
    </section>
  );
}

/** Nothing for those who may not see events. */
export function SecretReaders({ secret }: { readonly secret: Secret }): ReactNode {
  return useMay("event:read") ? <Readers secret={secret} /> : null;
}
