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
import { Table } from "../../../parts/table.tsx";
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
          <Table columns={["Hosts", "State", "Began", "Busiest minute"]}>
            {anomalies.slice(0, rows).map(({ startTime, atMinute, state, affectedHostMap }) => (
              <tr key={startTime}>
                <th scope="row">
                  {Object.keys(affectedHostMap).map((host) => (
                    <div key={host}>
                      <Link href={projectHref(ADDRESSES.firewallDecisions, teamId, projectId, { host })}>{host}</Link>
                    </div>
                  ))}
                </th>
                <td>
                  <span className={state === "active" ? "badge bad" : "badge"}>{ATTACK_STATES[state]}</span>
                </td>
                <td>
                  <Time at={startTime} />
                </td>
                <td>
                  <Time at={atMinute} />
                </td>
              </tr>
            ))}
          </Table>
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
