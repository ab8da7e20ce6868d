// The keys that a trust rule issued and that still work.
import { useState } from "react";
import type { ReactNode } from "react";
import { useApiPages } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Ends } from "../../parts/ends.tsx";
import { DeleteKey } from "../keys/delete-key.tsx";

interface Props {
  readonly trustId: string;
  readonly whyNot: string | null;
}

export function IssuedKeys({ trustId, whyNot }: Props): ReactNode {
  const teamId = useTeamId();
  const [deleted, setDeleted] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const query = { teamId, limit: 20 };
  const list = useApiPages("GET /v1/identity/trusts/:trustId/keys", { params: { trustId }, query });
  const keys = list.data?.pages.flatMap((page) => page.apiKeys) ?? [];
  return (
    <section className="panel">
      <h2>Keys that work</h2>
      <ApiList
        list={list}
        isEmpty={keys.length === 0}
        empty={<p className="quiet">None. A key ends 15 minutes after it was issued.</p>}
      >
        <ul className="rows">
          {keys.map(({ id, name, prefix, suffix, expiresAt }) => (
            <li key={id}>
              <span className="grow">
                <code>
                  {prefix}…{suffix}
                </code>
                <span className="small">
                  {name}, ends <Ends at={expiresAt} />
                </span>
              </span>
              <Button
                kind="plain"
                aria-label={`Delete ${prefix}…${suffix}`}
                disabledBecause={whyNot}
                onClick={() => setDeleted({ id, name })}
              >
                Delete
              </Button>
            </li>
          ))}
        </ul>
      </ApiList>
      {deleted && <DeleteKey apiKey={deleted} onClose={() => setDeleted(null)} />}
    </section>
  );
}
