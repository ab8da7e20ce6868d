// How many requests each action was decided for: each number leads to the decisions behind it.
import type { ReactNode } from "react";
import { ActionFigure } from "../action-badge.tsx";
import { DECISION_NAMES } from "../action-words.ts";
import type { Metrics } from "./series.ts";
import { Counted } from "./tables.tsx";
import { DIMENSIONS, countOf } from "./traffic-query.ts";
import type { By } from "./traffic-query.ts";
import { formatShare } from "../../../parts/numbers.ts";

type Action = keyof typeof DECISION_NAMES;

interface Props {
  /** By action. */
  readonly metrics: Metrics;
  readonly hrefOf: (by: By, value: string) => string | null;
}

export function Figures({ metrics, hrefOf }: Props): ReactNode {
  const figures = metrics.summary.flatMap(({ dimensions, values }) => {
    const action = dimensions[DIMENSIONS.action] ?? "";
    return Object.hasOwn(DECISION_NAMES, action) ? [{ action: action as Action, count: countOf(values) }] : [];
  });
  const total = figures.reduce((sum, { count }) => sum + count, 0);
  return (
    <dl className="figures">
      {figures.map(({ action, count }) => (
        <ActionFigure key={action} action={action} about={formatShare(count / total)}>
          <Counted count={count} href={hrefOf("action", action)} />
        </ActionFigure>
      ))}
    </dl>
  );
}
