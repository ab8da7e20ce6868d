// The versions of a project's firewall: what each changed, and the way back to one.
import { useInfiniteQuery } from "@tanstack/react-query";
import { FlaskConical, GitCompareArrows, RotateCcw, ShieldCheck } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { call } from "../../../api/call.ts";
import { ApiList } from "../../../parts/api-list.tsx";
import { Menu } from "../../../parts/menu.tsx";
import { Empty } from "../../../parts/placeholder.tsx";
import { projectHref } from "../../../parts/project.tsx";
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
  const { teamId, projectId } = useFirewallQuery();
  const [, navigate] = useLocation();
  const tryHref = projectHref(ADDRESSES.firewallTry, teamId, projectId, { config: String(version) });
  const isActive = version === active;
  const isCompared = compared === String(version);
  return (
    <>
      <tr>
        <th scope="row">
          Version {version}{" "}
          {isActive && (
            <span className="badge good">
              <ShieldCheck className="i i-s" />
              Enforced
            </span>
          )}
          <span className="quiet">{note}</span>
        </th>
        <td>
          <Time at={Date.parse(updatedAt)} />
        </td>
        <td>{createdBy.name}</td>
        <td>{changeCount}</td>
        <td>{rules.length}</td>
        <td className="actions">
          <Menu
            label={`Actions for version ${version}`}
            entries={[
              {
                label: isCompared ? "Hide changes" : "Show changes",
                icon: GitCompareArrows,
                onSelect: () => compare(isCompared ? "" : String(version)),
              },
              { label: "Test a request", icon: FlaskConical, onSelect: () => navigate(tryHref) },
              "line",
              {
                label: `Roll back to version ${version}…`,
                icon: RotateCcw,
                whyNot: why ?? (isActive ? "It is enforced" : null),
                onSelect: () => setRollingBack(true),
              },
            ]}
          />
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
      <p>Every published version is kept as it was. Roll back to make one the enforced version again.</p>
      <ApiList
        list={list}
        isEmpty={versions.length === 0}
        empty={<Empty title="Nothing is published yet" hint="Make a rule and publish the draft." />}
      >
        <Table columns={["Version", "When", "Published by", "Changes", "Rules"]} actions="Actions">
          {versions.map((config) => (
            <VersionRow key={config.version} config={config} active={active} why={why} />
          ))}
        </Table>
      </ApiList>
    </>
  );
}
