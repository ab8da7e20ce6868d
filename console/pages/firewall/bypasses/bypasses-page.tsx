// The bypass list of a project: clients that attack mode does not challenge.
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useSearchParams } from "wouter";
import { useTeamId } from "../../../api/team.ts";
import { Button } from "../../../parts/button.tsx";
import { Ends } from "../../../parts/ends.tsx";
import { Empty } from "../../../parts/placeholder.tsx";
import { RowName } from "../../../parts/row-name.tsx";
import { chosen } from "../../../parts/search-value.ts";
import { DataTable } from "../../../parts/table.tsx";
import type { Column } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { useProject } from "../../../parts/project.tsx";
import { AddBypass } from "./add-bypass.tsx";
import { RemoveBypass, clientOf } from "./remove-bypass.tsx";
import { useBypasses } from "./use-bypasses.ts";
import type { Bypass } from "./use-bypasses.ts";
import { PageActions, useTabCounts } from "../../../parts/page-title.tsx";
import { SearchFilter } from "../../../parts/select.tsx";

const FILTERS = ["address", "domain", "scope"] as const;

/** `2030-01-31 12:00:00`, in UTC, as ms. */
function timeOf(text: string): number {
  return Date.parse(`${text.replace(" ", "T")}Z`);
}

const COLUMNS: readonly Column<Bypass>[] = [
  {
    title: "Client",
    cell: (bypass) => (
      <RowName below={bypass.Note}>
        <code>{clientOf(bypass)}</code>
      </RowName>
    ),
  },
  {
    title: "Applies to",
    leaves: "phone",
    cell: ({ IsProjectRule, Domain }) => (IsProjectRule ? "Whole project" : <code>{Domain}</code>),
  },
  { title: "Ends", cell: ({ ExpiresAt }) => <Ends at={ExpiresAt === null ? null : ExpiresAt * 1_000} /> },
  { title: "Changed", cell: ({ UpdatedAt }) => <Time at={timeOf(UpdatedAt)} />, leaves: "narrow" },
];

export function BypassesPage(): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const [params] = useSearchParams();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Bypass | null>(null);
  const why = useWhyNot("firewall:write");
  const [sourceIp = "", domain = "", scope = ""] = FILTERS.map((name) => params.get(name) ?? "");
  const list = useBypasses({
    teamId,
    projectId,
    ...chosen({ sourceIp, domain }),
    ...(scope !== "" && { projectScope: scope === "project" }),
  });
  const entries = list.data?.pages.flatMap(({ result }) => result) ?? [];
  const domains = [...new Set(entries.flatMap(({ IsProjectRule, Domain }) => (IsProjectRule ? [] : [Domain])))];
  const isFiltered = sourceIp + domain + scope !== "";
  useTabCounts(list.data && !list.hasNextPage && !isFiltered ? { Bypasses: entries.length } : {});
  const add = (
    <Button disabledBecause={why} onClick={() => setAdding(true)}>
      <Plus className="i" />
      New bypass
    </Button>
  );
  const empty = isFiltered ? (
    <Empty title="No entry matches" hint="Choose another address or domain, or clear the filters." />
  ) : (
    <Empty
      title="Nobody is on the list"
      hint="Add the programs, monitors and offices that must not meet a challenge."
    />
  );
  return (
    <>
      <search className="filters">
        <SearchFilter name="address" label="Address" choices={[]} isFree />
        <SearchFilter name="domain" label="Domain" choices={domains.map((one) => [one, one] as const)} isFree />
        <SearchFilter name="scope" label="Applies to" choices={{ project: "Whole project", domain: "One domain" }} />
        <span className="hint">Attack mode does not challenge these. All other rules apply to them.</span>
      </search>
      <PageActions>{add}</PageActions>
      <DataTable
        label="Bypasses"
        list={list}
        rows={entries}
        keyOf={({ Id }) => Id}
        nameOf={clientOf}
        columns={COLUMNS}
        actions={(bypass) => [
          { label: "Remove…", icon: Trash2, isDanger: true, whyNot: why, onSelect: () => setRemoved(bypass) },
        ]}
        empty={empty}
      />
      {removed && <RemoveBypass bypass={removed} onClose={() => setRemoved(null)} />}
      {isAdding && <AddBypass onClose={() => setAdding(false)} />}
    </>
  );
}
