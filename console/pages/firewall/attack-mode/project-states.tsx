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
import { projectHref } from "../../../parts/project.tsx";

export function ProjectStates(): ReactNode {
  const teamId = useTeamId();
  const list = useApiPages("GET /v9/projects", { query: { teamId, limit: 50 } });
  const projects = list.data?.pages.flatMap((page) => page.projects) ?? [];
  return (
    <section>
      <h2 className="above">Projects</h2>
      <ApiList
        list={list}
        isEmpty={projects.length === 0}
        empty={
          <Empty
            title="No project has anything stored yet"
            hint="A project appears here with its first rule, bypass or change of attack mode."
          />
        }
      >
        <Table columns={["Project", "State", "Rules"]}>
          {projects.map(({ name, security }) => (
            <tr key={name}>
              <th scope="row">
                <Link href={projectHref(ADDRESSES.firewallAttackMode, teamId, name)}>{name}</Link>
              </th>
              <td>
                <span className={security.attackModeEnabled ? "badge warn" : "badge"}>
                  {security.attackModeEnabled ? "on" : "off"}
                </span>{" "}
                {security.attackModeActiveUntil !== null && (
                  <span className="quiet">
                    Ends <Time at={security.attackModeActiveUntil} />
                  </span>
                )}
              </td>
              <td>{security.firewallEnabled ? `version ${security.firewallConfigVersion ?? ""}` : "none in force"}</td>
            </tr>
          ))}
        </Table>
      </ApiList>
    </section>
  );
}
