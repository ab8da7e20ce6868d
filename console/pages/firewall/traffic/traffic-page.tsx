// What was done with requests over time, by action, rule, host or client: a plot and the numbers behind it.
import { useMemo } from "react";
import type { ReactNode } from "react";
import { ADDRESSES } from "../../../addresses.ts";
import { useApi } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Settled } from "../../../parts/settled.tsx";
import { DECISION_NAMES } from "../action-words.ts";
import { projectHref, useProject } from "../../../parts/project.tsx";
import { nameOfCrsRule } from "./crs-rule.ts";
import { Attacks } from "./attacks.tsx";
import { Figures } from "./figures.tsx";
import { TrafficFilters } from "./filters.tsx";
import { Plot, formatCount } from "./plot.tsx";
import { arrange } from "./series.ts";
import type { Metrics, Series } from "./series.ts";
import { BucketTable, GroupTable } from "./tables.tsx";
import { RANGES, isByEntry, useTraffic, useTrafficView, BY_NAMES } from "./traffic-query.ts";
import type { By, ChangeView, TrafficView } from "./traffic-query.ts";

const NONE = { action: "no action", rule: "no rule", host: "unknown host", client: "unknown client" };
const ACTIONS: Readonly<Record<string, string>> = DECISION_NAMES;
const DAY_SECONDS = 86_400;

type HrefOf = (by: By, value: string | null, start?: number) => string | null;

/** What a gate reports samples of: there is no list of requests that were allowed. */
const LISTED = new Set(Object.keys(DECISION_NAMES).filter((action) => action !== "allow" && action !== "bypass"));
/** The filters of the list of decisions. */
const FILTERS: Readonly<Partial<Record<By, string>>> = { action: "action", rule: "rule", host: "host" };

/** The decisions behind a number, filtered as it is: of all the time that is shown, or of the bucket that begins then (ms). */
function useDecisionsHref({ filters, range }: TrafficView): HrefOf {
  const teamId = useTeamId();
  const [projectId] = useProject();
  return (by, value, start) => {
    const all = { ...filters, [by]: value };
    const filled: Record<string, string> = {};
    if (start !== undefined) {
      // The list has those after the one and before the other.
      filled["since"] = new Date(start - 1).toISOString();
      filled["until"] = new Date(start + RANGES[range].bucket * 1_000).toISOString();
    }
    for (const [name, wanted] of Object.entries(all)) {
      if (wanted === null) continue;
      const filter = FILTERS[name as By];
      if (filter === undefined || wanted === "" || (filter === "action" && !LISTED.has(wanted))) return null;
      filled[filter] = wanted;
    }
    return projectHref(ADDRESSES.firewallDecisions, teamId, projectId, filled);
  };
}

/** Names the values of a dimension: rules as they are called in the active configuration. */
function useNames(): (by: By, value: string) => string {
  const [projectId] = useProject();
  const params = { configVersion: "active" };
  // A project without rules has none, which is no problem: their ids are shown.
  const config = useApi("GET /v1/firewalls/:configVersion", { params, query: { teamId: useTeamId(), projectId } });
  const rules = new Map(config.data?.value.rules.map(({ id, name }) => [id, name]));
  return (by, value) => {
    if (value === "") return NONE[by];
    if (by === "action") return Object.hasOwn(ACTIONS, value) ? (ACTIONS[value] ?? value) : value;
    return by === "rule" ? (rules.get(value) ?? nameOfCrsRule(value) ?? value) : value;
  };
}

interface ShownProps {
  readonly metrics: Metrics;
  readonly view: TrafficView;
  readonly change: ChangeView;
  readonly nameOf: (by: By, value: string) => string;
}

function Shown({ metrics, view, change, nameOf }: ShownProps): ReactNode {
  const { by } = view;
  const hrefOf = useDecisionsHref(view);
  const byAction = useTraffic({ ...view, by: "action" }).found.data?.value;
  const plotted = useMemo(() => arrange(metrics, by), [metrics, by]);
  if (plotted.total === 0)
    return (
      <Empty
        title="No requests were reported for this"
        hint="A gate reports every ten seconds what it did: protect an application with the command reeve gate. Or choose a longer time, another project, or fewer filters."
      />
    );
  const seriesName = ({ value }: Series): string => (value === null ? "others" : nameOf(by, value));
  return (
    <>
      <section className="panel">
        <h2>{formatCount(plotted.total)} requests</h2>
        {byAction && <Figures metrics={byAction} hrefOf={hrefOf} />}
        <Plot
          plotted={plotted}
          by={BY_NAMES[by]}
          nameOf={seriesName}
          hrefOf={({ value }) => (value === null ? null : hrefOf(by, value))}
          barHref={(start) => hrefOf(by, view.filters[by], start)}
        />
        <BucketTable
          plotted={plotted}
          by={by}
          nameOf={seriesName}
          hrefOf={({ value }, start) => (value === null ? null : hrefOf(by, value, start))}
        />
      </section>
      <GroupTable
        metrics={metrics}
        by={by}
        total={plotted.total}
        nameOf={nameOf}
        hrefOf={hrefOf}
        onChoose={(value) => change({ [by]: value })}
      />
    </>
  );
}

export function TrafficPage(): ReactNode {
  const [view, change] = useTrafficView();
  const { found, again } = useTraffic(view);
  const nameOf = useNames();
  return (
    <>
      <TrafficFilters view={view} change={change} nameOf={nameOf} again={again} isBusy={found.isFetching} />
      {isByEntry(view) && (
        <p className="hint">
          Hosts and clients are counted from the latest 5 000 entries. Allowed requests are counted without either.
        </p>
      )}
      {found.error && <Problem error={found.error} retry={again} />}
      {found.isPending && !found.error && <Skeleton />}
      {found.data && <Shown metrics={found.data.value} view={view} change={change} nameOf={nameOf} />}
      <Settled>
        <Attacks days={Math.ceil(RANGES[view.range].length / DAY_SECONDS)} />
      </Settled>
    </>
  );
}
