// The deleted secrets of a team that can still be restored.
import { RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Empty } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";

type Secret = Output<"GET /v2/secrets">["secrets"][number];

const COLUMNS: readonly Column<Secret>[] = [
  {
    title: "Name",
    cell: ({ name }) => (
      <RowName>
        <code>{name}</code>
      </RowName>
    ),
  },
  { title: "Deleted", cell: ({ deletedAt }) => deletedAt !== undefined && <Time at={deletedAt} />, leaves: "phone" },
  { title: "Destroyed", cell: ({ purgeAt }) => purgeAt !== undefined && <Time at={purgeAt} /> },
];

export function DeletedSecrets(): ReactNode {
  const teamId = useTeamId();
  const whyNot = useWhyNot("secret:write");
  const restore = useChange("POST /v2/secrets/:name/restore");
  const list = useApiPages("GET /v2/secrets", { query: { teamId, limit: 50, deleted: true } });
  return (
    <>
      {restore.error && <Problem error={restore.error} />}
      <DataTable
        label="Deleted secrets"
        list={list}
        rows={list.data?.pages.flatMap((page) => page.secrets) ?? []}
        keyOf={({ uid }) => uid}
        nameOf={({ name }) => name}
        columns={COLUMNS}
        actions={({ uid }) => [
          {
            label: "Restore",
            icon: RotateCcw,
            whyNot,
            onSelect: () => restore.mutate({ params: { name: uid }, query: { teamId } }),
          },
        ]}
        empty={<Empty title="Nothing was deleted lately" hint="A deleted secret can be restored for seven days." />}
      />
    </>
  );
}
