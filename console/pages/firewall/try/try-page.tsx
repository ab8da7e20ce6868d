// Tries a request on the rules: which one decides, and why.
import type { ReactNode } from "react";
import { useChange } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { otherProblem } from "../../../parts/form.tsx";
import type { Fields } from "../../../parts/form.tsx";
import { Empty } from "../../../parts/placeholder.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { DECISION_NAMES } from "../action-words.ts";
import { useProject } from "../../../parts/project.tsx";
import { DecisionPanel } from "./decision.tsx";
import type { Evaluation } from "./decision.tsx";
import { readAttributes } from "./request-attributes.ts";
import { Refused } from "./refused.tsx";
import { RequestForm, SHOWN_FIELDS } from "./request-form.tsx";
import { Runs } from "./runs.tsx";
import { Steps } from "./steps.tsx";

function Compared({ evaluation }: { readonly evaluation: Evaluation }): ReactNode {
  const { comparedWith: version, differences = [] } = evaluation;
  if (version === undefined) return null;
  const [first] = differences;
  return (
    <p className="notice">
      {first
        ? `Version ${version} decides otherwise: ${DECISION_NAMES[first.before.action]}.`
        : `Version ${version} decides the same.`}
    </p>
  );
}

function Result({ evaluation }: { readonly evaluation: Evaluation }): ReactNode {
  const { results, version } = evaluation;
  const last = results.at(-1);
  if (!last) return null;
  return (
    <>
      <DecisionPanel decision={last.decision} version={version} />
      <Compared evaluation={evaluation} />
      {results.length > 1 && <Runs results={results} />}
      {last.steps && <Steps steps={last.steps} decision={last.decision} />}
    </>
  );
}

export function TryPage(): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const [config] = useSearchValue("config");
  const [compare] = useSearchValue("compare");
  const evaluate = useChange("POST /v1/firewalls/:configVersion/evaluate");
  const other = otherProblem(evaluate.error, SHOWN_FIELDS);
  const onTry = (field: Fields): void => {
    const request = readAttributes(field);
    const assumed = field("attackMode");
    evaluate.mutate({
      params: { configVersion: config || "active" },
      query: { teamId, projectId },
      body: {
        requests: Array.from({ length: Number(field("times")) }, () => request),
        ...(compare !== "" && { compareWith: compare }),
        ...(assumed !== "now" && { attackMode: assumed === "on" }),
      },
    });
  };
  return (
    <div className="trial">
      <RequestForm error={evaluate.error} isBusy={evaluate.isPending} onTry={onTry} />
      <div>
        {other && <Refused error={other} />}
        {evaluate.isIdle && (
          <Empty title="No request was run yet" hint="Counters start empty, and nothing is stored." />
        )}
        {evaluate.data && <Result evaluation={evaluate.data} />}
      </div>
    </div>
  );
}
