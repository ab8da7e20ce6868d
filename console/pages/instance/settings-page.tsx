// The settings in force, and where each comes from.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi } from "../../api/queries.ts";
import { Empty, Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { Table } from "../../parts/table.tsx";

const ORIGINS = {
  flag: "a flag",
  environment: "the environment",
  file: "a file that the environment names",
  default: "the default",
};
type Setting = Output<"GET /v1/instance">["settings"][number];

function Value({ value, isSet }: Setting): ReactNode {
  if (value !== null) return <code>{value}</code>;
  return <span className="quiet">{isSet ? "set, not shown" : "not set"}</span>;
}

function Row({ setting }: { readonly setting: Setting }): ReactNode {
  const { variable, flag, help, from } = setting;
  return (
    <tr>
      <th scope="row">
        <code>{variable}</code>
        <span className="quiet">
          {flag !== null && (
            <>
              <code>{flag}</code>,{" "}
            </>
          )}
          {help}
        </span>
      </th>
      <td>
        <Value {...setting} />
      </td>
      <td>{ORIGINS[from]}</td>
    </tr>
  );
}

function Settings({ settings }: { readonly settings: readonly Setting[] }): ReactNode {
  const [search, setSearch] = useSearchValue("search");
  const [origin, setOrigin] = useSearchValue("from");
  const found = settings.filter(
    ({ variable, help, from }) =>
      `${variable} ${help}`.toLowerCase().includes(search.toLowerCase()) && (origin === "" || from === origin),
  );
  return (
    <>
      <search className="tools">
        <SearchInput label="Name or purpose" value={search} onChange={setSearch} />
        <select aria-label="From" value={origin} onChange={(event) => setOrigin(event.target.value)}>
          <option value="">From everywhere</option>
          {Object.entries(ORIGINS).map(([from, name]) => (
            <option key={from} value={from}>
              {name}
            </option>
          ))}
        </select>
      </search>
      {found.length === 0 ? (
        <Empty title="No setting matches" hint="Search for less." />
      ) : (
        <Table columns={["Setting", "Value", "From"]}>
          {found.map((setting) => (
            <Row key={setting.variable} setting={setting} />
          ))}
        </Table>
      )}
    </>
  );
}

export function SettingsPage(): ReactNode {
  const { data, error, refetch } = useApi("GET /v1/instance", {});
  return (
    <>
      <p>They are read when the server starts. Credentials are never shown.</p>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && <Settings settings={data.value.settings} />}
    </>
  );
}
