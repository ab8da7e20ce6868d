// Every step of an evaluation, in order: what matched, what did not, and what each condition read.
import type { ReactNode } from "react";
import { Table } from "../../../parts/table.tsx";
import { DECISION_NAMES } from "../action-words.ts";
import { CauseText } from "./decision.tsx";
import type { Decision, Evaluation } from "./decision.tsx";

const OUTCOMES = {
  matched: "matches",
  not_matched: "does not match",
  held: "holds the client",
  under_limit: "below the limit",
  inactive: "switched off",
  skipped: "skipped",
};

type Step = NonNullable<Evaluation["results"][number]["steps"]>[number];
type Group = NonNullable<Step["groups"]>[number];
type Condition = Group["conditions"][number];

const LOOKS: Readonly<Partial<Record<Step["outcome"], string>>> = { matched: "badge good", held: "badge warn" };

function listOf(values: Condition["expected"]): string {
  return values === undefined ? "" : [values].flat().join(", ");
}

function ConditionRow({ condition }: { readonly condition: Condition }): ReactNode {
  const { type, op, neg, key, actual, expected, holds } = condition;
  return (
    <tr>
      <th scope="row">
        <code>{key === undefined ? type : `${type} ${key}`}</code>
      </th>
      <td>
        {neg && "not "}
        <code>{op}</code> {listOf(expected)}
      </td>
      <td>{actual.length === 0 ? <span className="quiet">nothing</span> : <code>{actual.join(", ")}</code>}</td>
      <td>
        <span className={holds ? "badge good" : "badge"}>{holds ? "holds" : "does not hold"}</span>
      </td>
    </tr>
  );
}

function GroupOf({ group, number }: { readonly group: Group; readonly number: number }): ReactNode {
  const result = group.matches ? "matches" : "does not match";
  return (
    <>
      <h3>
        Group {number}: {result}
      </h3>
      <Table columns={["Condition", "Expected", "In the request", "Result"]}>
        {group.conditions.map((condition, at) => (
          <ConditionRow key={at} condition={condition} />
        ))}
      </Table>
    </>
  );
}

function actionName(action: string): string {
  return Object.hasOwn(DECISION_NAMES, action) ? DECISION_NAMES[action as keyof typeof DECISION_NAMES] : action;
}

function StepRow({ step, isDecisive }: { readonly step: Step; readonly isDecisive: boolean }): ReactNode {
  const { outcome, action, reason, groups = [], count, limit } = step;
  return (
    <li>
      <details open={isDecisive}>
        <summary>
          <span className="event-text">
            <CauseText cause={step} />
          </span>
          <span>
            <span className={LOOKS[outcome] ?? "badge"}>{OUTCOMES[outcome]}</span>
            {isDecisive && <span className="badge bad">decided</span>}
          </span>
        </summary>
        <dl>
          <dt>When it matches</dt>
          <dd>{actionName(action)}</dd>
          {reason !== undefined && (
            <>
              <dt>Why</dt>
              <dd>{reason}</dd>
            </>
          )}
          {count !== undefined && (
            <>
              <dt>Counted</dt>
              <dd>{limit === undefined ? count : `${count} of ${limit}`}</dd>
            </>
          )}
        </dl>
        {groups.map((group, at) => (
          <GroupOf key={at} group={group} number={at + 1} />
        ))}
      </details>
    </li>
  );
}

/** The position of the step that decided; -1: none did. */
export function findDecisive(steps: readonly Step[], { by }: Pick<Decision, "by">): number {
  if (!by) return -1;
  return steps.findLastIndex(
    ({ phase, id, outcome, isAfterDecision }) =>
      !isAfterDecision && phase === by.phase && id === by.id && (outcome === "matched" || outcome === "held"),
  );
}

export function Steps({
  steps,
  decision,
}: {
  readonly steps: readonly Step[];
  readonly decision: Pick<Decision, "by">;
}): ReactNode {
  const decisive = findDecisive(steps, decision);
  const numbered = steps.map((step, at) => ({ step, at }));
  const before = numbered.filter(({ step }) => !step.isAfterDecision);
  const after = numbered.filter(({ step }) => step.isAfterDecision);
  const rowsOf = (rows: typeof numbered): ReactNode => (
    <ol className="cards events">
      {rows.map(({ step, at }) => (
        <StepRow key={at} step={step} isDecisive={at === decisive} />
      ))}
    </ol>
  );
  return (
    <section>
      <h2 className="above">Step by step</h2>
      {steps.length === 0 && (
        <p>There is nothing that could decide: no rule, no matching address entry and no managed set.</p>
      )}
      {rowsOf(before)}
      {after.length > 0 && (
        <>
          <h3>What would have followed</h3>
          {rowsOf(after)}
        </>
      )}
    </section>
  );
}
