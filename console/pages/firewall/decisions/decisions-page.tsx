// Samples of what gates decided, newest first, and a field that finds one by its id.
import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import type { Output } from "../../../api/endpoints.ts";
import { useApi, useApiPages } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { Button } from "../../../parts/button.tsx";
import { onSubmit } from "../../../parts/form.tsx";
import { Empty } from "../../../parts/placeholder.tsx";
import { SearchFilter } from "../../../parts/select.tsx";
import { chosen } from "../../../parts/search-value.ts";
import { sentence } from "../../../parts/sentence.ts";
import { DataTable } from "../../../parts/table.tsx";
import type { Column } from "../../../parts/table.tsx";
import { timeOfField } from "../../../parts/local-time.ts";
import { SearchDates } from "../../../parts/search-dates.tsx";
import { Time } from "../../../parts/time.tsx";
import { DecisionBadge } from "../action-badge.tsx";
import { DECISION_NAMES } from "../action-words.ts";
import { useProject } from "../../../parts/project.tsx";
import { CauseText } from "../try/decision.tsx";
import "../../../style/decision.css";
import { decisionHref } from "./decision-href.ts";
import { policyText } from "./policy-text.ts";

type Decision = Output<"GET /v1/gate/decisions">["decisions"][number];

function FindById(): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const [, navigate] = useLocation();
  const submit = onSubmit((field) => navigate(decisionHref(teamId, projectId, field("id"))));
  return (
    <form className="search" onSubmit={submit}>
      <Search className="i" />
      <input
        name="id"
        type="search"
        aria-label="Find a decision by its ID"
        placeholder="Find by ID"
        required
        pattern="\s*[A-Za-z0-9]{8,40}\s*"
        autoComplete="off"
        spellCheck={false}
      />
      <Button kind="plain" type="submit">
        Find
      </Button>
    </form>
  );
}

/** The rules of the active configuration, by their ids; none where there is no configuration. */
function useRuleNames(): Readonly<Record<string, string>> {
  const [projectId] = useProject();
  const params = { configVersion: "active" };
  const config = useApi("GET /v1/firewalls/:configVersion", { params, query: { teamId: useTeamId(), projectId } });
  return Object.fromEntries((config.data?.value.rules ?? []).map(({ id, name }) => [id, name]));
}

const DECISIONS = Object.entries(DECISION_NAMES).map(([action, name]) => [action, sentence(name)] as const);

function Filters(): ReactNode {
  const rules = useRuleNames();
  return (
    <search className="filters">
      <FindById />
      <SearchFilter name="action" label="Decision" choices={DECISIONS} />
      <SearchFilter name="rule" label="Rule" choices={rules} />
      <SearchFilter name="host" label="Host" choices={[]} isFree />
      <SearchDates error={null} />
    </search>
  );
}

/** What decided, and the rules that only logged; else the policy that decided. */
function DecidedBy({ decision: { by, reason, logged } }: { readonly decision: Decision }): ReactNode {
  return (
    <>
      {by !== null && <CauseText cause={by} />}
      {by === null && reason !== null && <span className="quiet">{policyText(reason)}</span>}
      {logged.map((cause, index) => (
        <div key={index}>
          <span className="quiet">logged by</span> <CauseText cause={cause} />
        </div>
      ))}
    </>
  );
}

function RequestCell({
  decision: { id, projectId, method, host, target },
}: {
  readonly decision: Decision;
}): ReactNode {
  const teamId = useTeamId();
  return (
    <span className="name">
      <Link href={decisionHref(teamId, projectId, id)}>
        {method} {host}
        {target}
      </Link>
    </span>
  );
}

function ActionCell({ decision }: { readonly decision: Decision }): ReactNode {
  const { wouldBe } = decision;
  return (
    <>
      <DecisionBadge decision={decision} />
      {wouldBe !== null && <div className="small">It would have been {DECISION_NAMES[wouldBe]}</div>}
    </>
  );
}

const COLUMNS: readonly Column<Decision>[] = [
  { title: "Request", cell: (decision) => <RequestCell decision={decision} /> },
  { title: "Decision", cell: (decision) => <ActionCell decision={decision} /> },
  { title: "By", leaves: "narrow", cell: (decision) => <DecidedBy decision={decision} /> },
  { title: "Client", leaves: "narrow", cell: ({ ip }) => ip !== null && <code>{ip}</code> },
  { title: "When", leaves: "narrow", cell: ({ at }) => <Time at={at} /> },
];

function useDecisions() {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const [params] = useSearchParams();
  const [action = "", ruleId = "", host = ""] = ["action", "rule", "host"].map((name) => params.get(name) ?? "");
  const [since, until] = ["since", "until"].map((name) => timeOfField(params.get(name) ?? ""));
  const list = useApiPages("GET /v1/gate/decisions", {
    // An address that somebody typed may name any action: the API says what it takes.
    query: {
      teamId,
      projectId,
      limit: 50,
      ...chosen({ ruleId, host, action: action as Decision["action"] }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
    },
  });
  return { list, isFiltered: [action, ruleId, host, since ?? "", until ?? ""].some((one) => one !== "") };
}

export function DecisionsPage(): ReactNode {
  const { list, isFiltered } = useDecisions();
  const decisions = list.data?.pages.flatMap((page) => page.decisions) ?? [];
  const empty = isFiltered ? (
    <Empty title="No decision matches" hint="Choose another action, rule, host or time." />
  ) : (
    <Empty
      title="No decisions were reported"
      hint="A gate reports a sample of what it denies every ten seconds, and a decision is kept for seven days. Protect an application with the command reeve gate, or choose another project."
    />
  );
  return (
    <>
      <Filters />
      <DataTable
        label="Decisions"
        list={list}
        rows={decisions}
        keyOf={({ id }) => id}
        nameOf={({ method, host, target }) => `${method} ${host}${target}`}
        columns={COLUMNS}
        empty={empty}
      />
      <p className="hint">
        Samples of what gates denied, logged, or decided by a policy. Visitors who were denied have the ID of the
        decision: on the page, or in the header X-Reeve-Decision.
      </p>
    </>
  );
}
