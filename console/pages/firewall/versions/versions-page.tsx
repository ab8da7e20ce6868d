// The versions of a project's firewall: what each changed, and the way back to one.
import { useInfiniteQuery } from "@tanstack/react-query";
import { FlaskConical, GitCompareArrows, RotateCcw, ShieldCheck } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { call } from "../../../api/call.ts";
import { Avatar } from "../../../parts/avatar.tsx";
import { Button } from "../../../parts/button.tsx";
import type { MenuEntry } from "../../../parts/menu-entries.ts";
import { Empty } from "../../../parts/placeholder.tsx";
import { projectHref } from "../../../parts/project.tsx";
import { RowName } from "../../../parts/row-name.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { DataTable } from "../../../parts/table.tsx";
import type { Column } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { DraftBar } from "../draft-bar.tsx";
import { useConfigs, useFirewallQuery } from "../firewall-config.ts";
import type { Config } from "../config-types.ts";
import { Comparison } from "./comparison.tsx";
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

function columnsOf(active: number | null): readonly Column<Config>[] {
  return [
    {
      title: "Version",
      cell: ({ version, note }) => (
        <RowName below={note}>
          <strong>Version {version}</strong>
          {version === active && (
            <span className="badge good">
              <ShieldCheck className="i i-s" />
              Enforced
            </span>
          )}
        </RowName>
      ),
    },
    {
      title: "Published by",
      leaves: "phone",
      cell: ({ createdBy: { name } }) => <RowName picture={<Avatar name={name} />}>{name}</RowName>,
    },
    { title: "When", cell: ({ updatedAt }) => <Time at={Date.parse(updatedAt)} /> },
    { title: "Changes", isNumber: true, cell: ({ changeCount }) => changeCount },
    { title: "Rules", isNumber: true, cell: ({ rules }) => rules.length, leaves: "phone" },
  ];
}

interface CompareProps {
  readonly versions: readonly number[];
  readonly onCompare: (compared: string) => void;
}

/** The newer one is shown as what became of the older one. */
function Compare({ versions, onCompare }: CompareProps): ReactNode {
  const [older, newer] = versions.toSorted((one, other) => one - other);
  return (
    <Button
      kind="plain"
      disabledBecause={newer === undefined ? "Select a second version" : null}
      onClick={() => onCompare(`${older}..${newer}`)}
    >
      <GitCompareArrows className="i" />
      {newer === undefined ? "Compare" : `Compare ${older} and ${newer}`}
    </Button>
  );
}

export function VersionsPage(): ReactNode {
  const list = useVersions();
  const configs = useConfigs();
  const why = useWhyNot("firewall:write");
  const [compared, compare] = useSearchValue("compare");
  const [restored, setRestored] = useState<number | null>(null);
  const { teamId, projectId } = useFirewallQuery();
  const [, navigate] = useLocation();
  const versions = list.data?.pages.flatMap((page) => page.versions) ?? [];
  const active = list.data?.pages[0]?.active?.version ?? null;
  const actionsOf = ({ version }: Config): readonly MenuEntry[] => {
    const config = String(version);
    return [
      {
        label: "Show changes",
        icon: GitCompareArrows,
        onSelect: () => compare(config),
      },
      {
        label: "Test a request",
        icon: FlaskConical,
        onSelect: () => navigate(projectHref(ADDRESSES.firewallTry, teamId, projectId, { config })),
      },
      "line",
      {
        label: `Roll back to version ${version}…`,
        icon: RotateCcw,
        whyNot: why ?? (version === active ? "It is enforced" : null),
        onSelect: () => setRestored(version),
      },
    ];
  };
  return (
    <>
      {configs.data && <DraftBar configs={configs.data} why={why} />}
      <DataTable
        label="Versions"
        list={list}
        rows={versions}
        keyOf={({ version }) => String(version)}
        nameOf={({ version }) => `version ${version}`}
        columns={columnsOf(active)}
        actions={actionsOf}
        most={2}
        bulk={(ticked) => <Compare versions={ticked.map(({ version }) => version)} onCompare={compare} />}
        empty={<Empty title="Nothing is published yet" hint="Make a rule and publish the draft." />}
      />
      {compared !== "" && <Comparison key={compared} compared={compared} onClose={() => compare("")} />}
      {restored !== null && active !== null && (
        <RollBack version={restored} active={active} onClose={() => setRestored(null)} />
      )}
    </>
  );
}
