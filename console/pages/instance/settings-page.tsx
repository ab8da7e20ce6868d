// The settings in force, and where each comes from.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi } from "../../api/queries.ts";
import { Empty, Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { Table } from "../../parts/table.tsx";
import { TEXTS } from "../../texts.ts";
import { InstanceNav } from "./instance-nav.tsx";

const T = TEXTS.instanceSettings;
type Setting = Output<"GET /v1/instance">["settings"][number];

function Value({ value, isSet }: Setting): ReactNode {
  if (value !== null) return <code>{value}</code>;
  return <span className="quiet">{isSet ? T.isSet : T.isNotSet}</span>;
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
      <td>{T.origins[from]}</td>
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
        <SearchInput label={T.search} value={search} onChange={setSearch} />
        <select aria-label={T.origin} value={origin} onChange={(event) => setOrigin(event.target.value)}>
          <option value="">{T.everyOrigin}</option>
          {Object.entries(T.origins).map(([from, name]) => (
            <option key={from} value={from}>
              {name}
            </option>
          ))}
        </select>
      </search>
      {found.length === 0 ? (
        <Empty title={T.empty} hint={T.emptyHint} />
      ) : (
        <Table columns={[T.setting, T.value, T.origin]}>
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
      <InstanceNav />
      <p>{T.what}</p>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && <Settings settings={data.value.settings} />}
    </>
  );
}
