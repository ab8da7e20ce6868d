// Minutes with unusually many requests, as the API finds them.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { useApi } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { Button } from "../../../parts/button.tsx";
import { Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { DataTable } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
import { projectHref, useProject } from "../../../parts/project.tsx";

const ATTACK_STATES = { active: "goes on", ended: "has ended" };

const FIRST_ROWS = 10;

export function Attacks({ days }: { readonly days: number }): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const found = useApi("GET /v1/security/firewall/attack-status", { query: { teamId, projectId, since: days } });
  const [rows, setRows] = useState(FIRST_ROWS);
  const anomalies = found.data?.value.anomalies ?? [];
  return (
    <section>
      <h2 className="above">Unusual traffic</h2>
      {found.isPending && <Skeleton rows={1} />}
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      {found.data && anomalies.length === 0 && <p>None was found in this time.</p>}
      {anomalies.length > 0 && (
        <>
          <DataTable
            label="Unusual traffic"
            rows={anomalies.slice(0, rows)}
            keyOf={({ startTime }) => String(startTime)}
            isWrapped
            columns={[
              {
                title: "Hosts",
                cell: ({ affectedHostMap }) =>
                  Object.keys(affectedHostMap).map((host) => (
                    <div key={host}>
                      <Link href={projectHref(ADDRESSES.firewallDecisions, teamId, projectId, { host })}>{host}</Link>
                    </div>
                  )),
              },
              {
                title: "State",
                cell: ({ state }) => (
                  <span className={state === "active" ? "badge bad" : "badge"}>{ATTACK_STATES[state]}</span>
                ),
              },
              { title: "Began", cell: ({ startTime }) => <Time at={startTime} /> },
              { title: "Busiest minute", cell: ({ atMinute }) => <Time at={atMinute} />, leaves: "phone" },
            ]}
          />
          {anomalies.length > rows && (
            <p>
              <Button kind="plain" onClick={() => setRows(anomalies.length)}>
                Show more
              </Button>
            </p>
          )}
          <Link href={projectHref(ADDRESSES.firewallAttackMode, teamId, projectId)}>To attack mode</Link>
        </>
      )}
    </section>
  );
}
