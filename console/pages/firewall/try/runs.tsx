// What was decided about many requests, one after the other: those with the same decision are one row.
import type { ReactNode } from "react";
import { DecisionBadge } from "../action-badge.tsx";
import { DataTable } from "../../../parts/table.tsx";
import { CauseText, NOTHING_DECIDED } from "./decision.tsx";
import type { Decision, Evaluation } from "./decision.tsx";

interface Run {
  readonly decision: Decision;
  /** From 1. */
  readonly from: number;
  readonly to: number;
}

/** Joins neighbours with the same decision by the same cause. */
export function joinRuns(decisions: readonly Decision[]): Run[] {
  const runs: Run[] = [];
  for (const [at, decision] of decisions.entries()) {
    const last = runs.at(-1);
    const isSame = last?.decision.action === decision.action && last.decision.by?.id === decision.by?.id;
    if (isSame) runs.splice(-1, 1, { ...last, to: at + 1 });
    else runs.push({ decision, from: at + 1, to: at + 1 });
  }
  return runs;
}

export function Runs({ results }: Pick<Evaluation, "results">): ReactNode {
  return (
    <section>
      <h2 className="above">One after the other</h2>
      <DataTable
        label="Decisions"
        rows={joinRuns(results.map(({ decision }) => decision))}
        keyOf={({ from }) => String(from)}
        isWrapped
        columns={[
          { title: "Requests", cell: ({ from, to }) => (from === to ? from : `${from} to ${to}`) },
          { title: "Decision", cell: ({ decision }) => <DecisionBadge decision={decision} /> },
          { title: "By", cell: ({ decision }) => (decision.by ? <CauseText cause={decision.by} /> : NOTHING_DECIDED) },
        ]}
      />
    </section>
  );
}
