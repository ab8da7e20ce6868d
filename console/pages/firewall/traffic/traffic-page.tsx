// What was done with requests over time, by action, rule, host or client: a plot and the numbers behind it.
import { RefreshCw } from "lucide-react";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { ADDRESSES } from "../../../addresses.ts";
import { useApi } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { PageActions } from "../../../parts/page-title.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Segment } from "../../../parts/segment.tsx";
import { sentence } from "../../../parts/sentence.ts";
import { Settled } from "../../../parts/settled.tsx";
import { DECISION_NAMES } from "../action-words.ts";
import { projectHref, useProject } from "../../../parts/project.tsx";
import { nameOfCrsRule } from "./crs-rule.ts";
import { Attacks } from "./attacks.tsx";
import { Figures } from "./figures.tsx";
import { TrafficFilters } from "./filters.tsx";
import { formatCount } from "../../../parts/numbers.ts";
import { Plot } from "./plot.tsx";
import { arrange } from "./series.ts";
import type { Metrics, Series } from "./series.ts";
import { BucketTable, GroupTable } from "./tables.tsx";
import { RANGES, useTraffic, useTrafficView } from "./traffic-query.ts";
import { Top } from "./top.tsx";
import type { By, ChangeView, TrafficView } from "./traffic-query.ts";

const NONE = { action: "No decision", rule: "No rule", host: "Unknown host", client: "Unknown address" };
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

/** Names the values of a dimension: rules as they are called in the active configuration, which says what they do. */
function useRules() {
  const [projectId] = useProject();
  const params = { configVersion: "active" };
  // A project without rules has none, which is no problem: their ids are shown.
  const config = useApi("GET /v1/firewalls/:configVersion", { params, query: { teamId: useTeamId(), projectId } });
  const rules = new Map(config.data?.value.rules.map((rule) => [rule.id, rule]));
  return {
    choices: [...rules.values()].map(({ id, name }) => [id, name] as const),
    actionOf: (id: string) => rules.get(id)?.action.mitigate?.action,
    nameOf(by: By, value: string): string {
      if (value === "") return NONE[by];
      if (by === "action") return sentence(Object.hasOwn(ACTIONS, value) ? (ACTIONS[value] ?? value) : value);
      return by === "rule" ? (rules.get(value)?.name ?? nameOfCrsRule(value) ?? value) : value;
    },
  };
}

interface ShownProps {
  readonly metrics: Metrics;
  readonly view: TrafficView;
  readonly change: ChangeView;
  readonly rules: ReturnType<typeof useRules>;
}

function Shown({ metrics, view, change, rules: { nameOf } }: ShownProps): ReactNode {
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
  const seriesName = ({ value }: Series): string => (value === null ? "Others" : nameOf(by, value));
  return (
    <>
      <section className="panel">
        <h2 className="hidden">{formatCount(plotted.total)} requests</h2>
        {byAction && <Figures metrics={byAction} hrefOf={hrefOf} />}
        <Plot
          plotted={plotted}
          nameOf={seriesName}
          hrefOf={({ value }) => (value === null ? null : hrefOf(by, value))}
          barHref={(start) => hrefOf(by, view.filters[by], start)}
          table={
            <BucketTable
              plotted={plotted}
              by={by}
              nameOf={seriesName}
              hrefOf={({ value }, start) => (value === null ? null : hrefOf(by, value, start))}
            />
          }
        />
      </section>
      {by !== "action" && (
        <GroupTable
          metrics={metrics}
          by={by}
          total={plotted.total}
          nameOf={nameOf}
          hrefOf={hrefOf}
          onChoose={(value) => change({ [by]: value })}
        />
      )}
    </>
  );
}

const TIMES = { hour: "1 h", day: "24 h", week: "7 d" } as const;

export function TrafficPage(): ReactNode {
  const [view, change] = useTrafficView();
  const { found, again } = useTraffic(view);
  const rules = useRules();
  const { nameOf, actionOf } = rules;
  const isFilled = (found.data?.value.summary.length ?? 0) > 0;
  return (
    <>
      <PageActions>
        <Segment
          label="Time"
          values={Object.values(TIMES)}
          value={TIMES[view.range]}
          onChange={(time) => change({ range: Object.entries(TIMES).find(([, one]) => one === time)?.[0] ?? null })}
        />
        <button type="button" className="icon plain" aria-label="Refresh" aria-busy={found.isFetching} onClick={again}>
          <RefreshCw className="i" />
        </button>
      </PageActions>
      <TrafficFilters view={view} change={change} nameOf={nameOf} rules={rules.choices} />
      {found.error && <Problem error={found.error} retry={again} />}
      {found.isPending && !found.error && <Skeleton />}
      {found.data && <Shown metrics={found.data.value} view={view} change={change} rules={rules} />}
      <Settled>
        <Attacks days={Math.ceil(RANGES[view.range].length / DAY_SECONDS)} />
        {view.by === "action" && isFilled && (
          <>
            <div className="thirds">
              {(["rule", "host", "client"] as const).map((by) => (
                <Top key={by} view={view} by={by} nameOf={nameOf} actionOf={actionOf} change={change} />
              ))}
            </div>
            <p className="hint">
              Hosts and addresses are counted from the latest 5 000 entries. Allowed requests are counted without
              either.
            </p>
          </>
        )}
      </Settled>
    </>
  );
}
