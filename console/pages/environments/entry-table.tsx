// The entries of one environment, its own and those that it inherits.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useTeamId } from "../../api/team.ts";
import { projectHref, useProject } from "../../parts/project.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { DataTable } from "../../parts/table.tsx";
import { PlainValue, StoredAs } from "./entry-value.tsx";
import type { Environment } from "./project-environments.ts";

export function EntryTable({ environment: { name, entries } }: { readonly environment: Environment }): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const address = projectHref(ADDRESSES.environmentKey, teamId, project);
  return (
    <DataTable
      label={`Entries of ${name}`}
      rows={entries}
      keyOf={({ key }) => key}
      isWrapped
      columns={[
        {
          title: "Key",
          cell: ({ key }) => (
            <RowName>
              <Link href={address.replace(":key", key)}>
                <code>{key}</code>
              </Link>
            </RowName>
          ),
        },
        {
          title: "Value",
          cell: (entry) => (entry.value === undefined ? <StoredAs entry={entry} /> : <PlainValue text={entry.value} />),
        },
        { title: "From", cell: ({ from, isInherited }) => (isInherited ? from : "its own"), leaves: "phone" },
      ]}
      empty={<p className="quiet">It has no entries yet.</p>}
    />
  );
}
