// The settings in force, and where each comes from.
import { ListFilter, Lock } from "lucide-react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi } from "../../api/queries.ts";
import { Empty, Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { SearchFilter } from "../../parts/select.tsx";
import { sentence } from "../../parts/sentence.ts";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";

const ORIGINS = {
  flag: "Flag",
  environment: "Environment",
  file: "File",
  default: "Default",
};
type Setting = Output<"GET /v1/instance">["settings"][number];

function Value({ value, isSet }: Setting): ReactNode {
  if (value !== null) return <code>{value}</code>;
  return (
    <span className="quiet">
      {isSet && <Lock className="i i-s" />} {isSet ? "Set, not shown" : "Not set"}
    </span>
  );
}

const COLUMNS: readonly Column<Setting>[] = [
  {
    title: "Setting",
    cell: ({ variable, help }) => (
      <RowName below={sentence(help)}>
        <code>{variable}</code>
      </RowName>
    ),
  },
  { title: "Value", cell: (setting) => <Value {...setting} /> },
  {
    title: "From",
    cell: ({ from, flag }) => (
      <span className={from === "default" ? "quiet" : undefined}>
        {ORIGINS[from]} {from === "flag" && flag !== null && <code className="nowrap">{flag}</code>}
      </span>
    ),
  },
];

function Settings({ settings }: { readonly settings: readonly Setting[] }): ReactNode {
  const [search, setSearch] = useSearchValue("search");
  const [origin] = useSearchValue("from");
  const found = settings.filter(
    ({ variable, help, from }) =>
      `${variable} ${help}`.toLowerCase().includes(search.toLowerCase()) && (origin === "" || from === origin),
  );
  return (
    <>
      <search className="filters">
        <SearchInput label="Search name or purpose" value={search} onChange={setSearch} />
        <SearchFilter name="from" label="From" icon={ListFilter} choices={ORIGINS} />
        <span className="small">Read when the server starts. Credentials are never shown.</span>
      </search>
      <DataTable
        label="Settings"
        rows={found}
        keyOf={({ variable }) => variable}
        isWrapped
        columns={COLUMNS}
        empty={<Empty title="No setting matches" hint="Search for less." />}
      />
    </>
  );
}

export function SettingsPage(): ReactNode {
  const { data, error, refetch } = useApi("GET /v1/instance", {});
  return (
    <>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && <Settings settings={data.value.settings} />}
    </>
  );
}
