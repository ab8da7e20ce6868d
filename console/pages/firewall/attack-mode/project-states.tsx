// The projects of the team, each with attack mode and the version of its rules.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { useApiPages } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { Empty } from "../../../parts/placeholder.tsx";
import { DataTable } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
import { projectHref } from "../../../parts/project.tsx";

export function ProjectStates(): ReactNode {
  const teamId = useTeamId();
  const list = useApiPages("GET /v9/projects", { query: { teamId, limit: 50 } });
  const projects = list.data?.pages.flatMap((page) => page.projects) ?? [];
  return (
    <section>
      <h2 className="above">Projects</h2>
      <DataTable
        label="Projects"
        list={list}
        rows={projects}
        keyOf={({ name }) => name}
        isWrapped
        columns={[
          {
            title: "Project",
            cell: ({ name }) => <Link href={projectHref(ADDRESSES.firewallAttackMode, teamId, name)}>{name}</Link>,
          },
          {
            title: "State",
            cell: ({ security }) => (
              <>
                {security.attackModeEnabled ? <span className="badge on-challenge">On</span> : "Off"}{" "}
                {security.attackModeActiveUntil !== null && (
                  <span className="quiet">
                    Ends <Time at={security.attackModeActiveUntil} />
                  </span>
                )}
              </>
            ),
          },
          {
            title: "Rules",
            cell: ({ security }) =>
              security.firewallEnabled ? `version ${security.firewallConfigVersion ?? ""}` : "none in force",
          },
        ]}
        empty={
          <Empty
            title="No project has anything stored yet"
            hint="A project appears here with its first rule, bypass or change of attack mode."
          />
        }
      />
    </section>
  );
}
