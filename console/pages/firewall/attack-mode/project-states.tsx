// The projects of the team, each with attack mode and the version of its rules.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { useApiPages } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { ApiList } from "../../../parts/api-list.tsx";
import { Empty } from "../../../parts/placeholder.tsx";
import { Table } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
import { TEXTS, fill } from "../../../texts.ts";
import { projectHref } from "../../../parts/project.tsx";

const T = TEXTS.attackMode;

export function ProjectStates(): ReactNode {
  const teamId = useTeamId();
  const list = useApiPages("GET /v9/projects", { query: { teamId, limit: 50 } });
  const projects = list.data?.pages.flatMap((page) => page.projects) ?? [];
  return (
    <section>
      <h2 className="above">{T.projects}</h2>
      <ApiList list={list} isEmpty={projects.length === 0} empty={<Empty title={T.empty} hint={T.emptyHint} />}>
        <Table columns={[T.project, T.state, T.firewall]}>
          {projects.map(({ name, security }) => (
            <tr key={name}>
              <th scope="row">
                <Link href={projectHref(ADDRESSES.firewallAttackMode, teamId, name)}>{name}</Link>
              </th>
              <td>
                <span className={security.attackModeEnabled ? "badge warn" : "badge"}>
                  {security.attackModeEnabled ? T.on : T.off}
                </span>{" "}
                {security.attackModeActiveUntil !== null && (
                  <span className="quiet">
                    {T.until} <Time at={security.attackModeActiveUntil} />
                  </span>
                )}
              </td>
              <td>
                {security.firewallEnabled
                  ? fill(T.firewallOn, { version: security.firewallConfigVersion ?? "" })
                  : T.firewallOff}
              </td>
            </tr>
          ))}
        </Table>
      </ApiList>
    </section>
  );
}
