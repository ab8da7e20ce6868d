// The versions of a project's firewall: what each changed, and the way back to one.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { call } from "../../../api/call.ts";
import { ApiList } from "../../../parts/api-list.tsx";
import { Button } from "../../../parts/button.tsx";
import { Empty } from "../../../parts/placeholder.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { Table } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { useFirewallQuery } from "../firewall-config.ts";
import type { Config } from "../config-types.ts";
import { CompareVersions } from "./compare-versions.tsx";
import { RollBack } from "./roll-back.tsx";

const LIMIT = 20;

function useVersions() {
  const query = useFirewallQuery();
  return useInfiniteQuery({
    queryKey: ["GET /v1/firewalls", query],
    queryFn: ({ signal, pageParam }) =>
      call(
        "GET /v1/firewalls",
        { query: { ...query, limit: LIMIT, ...(pageParam === null ? {} : { until: pageParam }) } },
        signal,
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ pagination }) => pagination.next,
  });
}

interface RowProps {
  readonly config: Config;
  readonly active: number | null;
  readonly why: string | null;
}

function VersionRow({ config, active, why }: RowProps): ReactNode {
  const { version, updatedAt, createdBy, note, changeCount, rules } = config;
  const [compared, compare] = useSearchValue("compare");
  const [isRollingBack, setRollingBack] = useState(false);
  const isActive = version === active;
  const isCompared = compared === String(version);
  return (
    <>
      <tr>
        <th scope="row">
          Version {version} {isActive && <span className="badge good">active</span>}
          <span className="quiet">{note}</span>
        </th>
        <td>
          <Time at={Date.parse(updatedAt)} />
        </td>
        <td>{createdBy.name}</td>
        <td>{changeCount}</td>
        <td>{rules.length}</td>
        <td className="actions">
          <Button kind="plain" aria-expanded={isCompared} onClick={() => compare(isCompared ? "" : String(version))}>
            {isCompared ? "Hide changes" : "Show changes"}
          </Button>
          <Button
            kind="plain"
            disabledBecause={why ?? (isActive ? "It is the active one" : null)}
            onClick={() => setRollingBack(true)}
          >
            Roll back
          </Button>
          {isRollingBack && active !== null && (
            <RollBack version={version} active={active} onClose={() => setRollingBack(false)} />
          )}
        </td>
      </tr>
      {isCompared && (
        <tr>
          <td colSpan={6} className="whole">
            <CompareVersions version={version} />
          </td>
        </tr>
      )}
    </>
  );
}

export function VersionsPage(): ReactNode {
  const list = useVersions();
  const why = useWhyNot("firewall:write");
  const versions = list.data?.pages.flatMap((page) => page.versions) ?? [];
  const active = list.data?.pages[0]?.active?.version ?? null;
  return (
    <>
      <p>Every published configuration is kept as it was, and can be made the active one again.</p>
      <ApiList
        list={list}
        isEmpty={versions.length === 0}
        empty={<Empty title="Nothing is published yet" hint="Make a rule and publish the draft." />}
      >
        <Table columns={["Version", "When", "By", "Changes", "Rules"]} actions="Actions">
          {versions.map((config) => (
            <VersionRow key={config.version} config={config} active={active} why={why} />
          ))}
        </Table>
      </ApiList>
    </>
  );
}
