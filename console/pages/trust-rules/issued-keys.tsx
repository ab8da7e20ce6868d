// The keys that a trust rule issued and that still work. They are read when somebody opens the list.
import { useState } from "react";
import type { ReactNode } from "react";
import { useApiPages } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { DeleteKey } from "../keys/delete-key.tsx";

interface Props {
  readonly trustId: string;
  readonly why: string | null;
}

function Keys({ trustId, why }: Props): ReactNode {
  const teamId = useTeamId();
  const [deleted, setDeleted] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const list = useApiPages("GET /v1/identity/trusts/:trustId/keys", {
    params: { trustId },
    query: { teamId, limit: 20 },
  });
  const keys = list.data?.pages.flatMap((page) => page.apiKeys) ?? [];
  return (
    <>
      <ApiList
        list={list}
        isEmpty={keys.length === 0}
        empty={<p className="quiet">There are none. A key ends 15 minutes after it was issued.</p>}
      >
        <Table columns={["Key", "Last used", "Ends"]} actions="Actions">
          {keys.map(({ id, name, prefix, suffix, activeAt, expiresAt }) => (
            <tr key={id}>
              <th scope="row">
                <strong>{name}</strong>
                <span className="quiet">
                  <code>
                    {prefix}…{suffix}
                  </code>
                </span>
              </th>
              <td>
                <Time at={activeAt} />
              </td>
              <td>{expiresAt === null ? "never" : <Time at={expiresAt} />}</td>
              <td className="actions">
                <Button
                  kind="danger"
                  aria-label={`Delete ${prefix}…${suffix}`}
                  disabledBecause={why}
                  onClick={() => setDeleted({ id, name })}
                >
                  Delete
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      </ApiList>
      {deleted && <DeleteKey apiKey={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

export function IssuedKeys(props: Props): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Keys that it issued and that still work</summary>
      {isOpen && <Keys {...props} />}
    </details>
  );
}
