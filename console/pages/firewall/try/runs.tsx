// What was decided about many requests, one after the other: those with the same decision are one row.
import type { ReactNode } from "react";
import { DecisionBadge } from "../action-badge.tsx";
import { Table } from "../../../parts/table.tsx";
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
      <Table columns={["Requests", "Decision", "By"]}>
        {joinRuns(results.map(({ decision }) => decision)).map(({ decision, from, to }) => (
          <tr key={from}>
            <th scope="row">{from === to ? from : `${from} to ${to}`}</th>
            <td>
              <DecisionBadge decision={decision} />
            </td>
            <td>{decision.by ? <CauseText cause={decision.by} /> : NOTHING_DECIDED}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
