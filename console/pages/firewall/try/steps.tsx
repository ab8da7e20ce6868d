// Every step of an evaluation, in order: what matched, what did not, and what each condition read.
import { CircleCheck, CircleX, List, Shield, ShieldCheck, Siren } from "lucide-react";
import type { ReactNode } from "react";
import { DataTable } from "../../../parts/table.tsx";
import type { Column } from "../../../parts/table.tsx";
import { ActionSign, DecisionBadge } from "../action-badge.tsx";
import { DECISION_NAMES } from "../action-words.ts";
import type { Condition as RuleCondition } from "../config-types.ts";
import { TYPE_WORDS, conditionPieces } from "../rules/rule-words.ts";
import { Sentence } from "../rules/sentence.tsx";
import { CauseText } from "./decision.tsx";
import type { Decision, Evaluation } from "./decision.tsx";
import "../../../style/decision.css";

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

/** Newer servers may have types that this console has no words for. */
function conditionText({ type, op, neg, key, expected }: Condition): ReactNode {
  if (!Object.hasOwn(TYPE_WORDS, type))
    return `${type} ${neg ? "not " : ""}${op} ${[expected ?? []].flat().join(", ")}`;
  const condition = { type, op, neg, ...(key !== undefined && { key }), value: expected } as RuleCondition;
  return <Sentence of={conditionPieces(condition)} />;
}

const COLUMNS: readonly Column<Condition>[] = [
  { title: "Condition", cell: (condition) => <span>{conditionText(condition)}</span> },
  {
    title: "In the request",
    cell: ({ actual }) =>
      actual.length === 0 ? <span className="quiet">nothing</span> : <code>{actual.join(", ")}</code>,
  },
  {
    title: "Result",
    cell: ({ holds }) => {
      const Sign = holds ? CircleCheck : CircleX;
      return (
        <span className={holds ? "good" : "quiet"}>
          <Sign className="i i-s" /> {holds ? "matches" : "does not match"}
        </span>
      );
    },
  },
];

function Groups({ groups }: { readonly groups: readonly Group[] }): ReactNode {
  return groups.map(({ conditions }, at) => (
    <div key={at}>
      {at > 0 && <p className="small">or</p>}
      <DataTable
        label="Conditions"
        rows={conditions}
        keyOf={(condition) => String(conditions.indexOf(condition))}
        isWrapped
        columns={COLUMNS}
      />
    </div>
  ));
}

const PHASE_SIGNS = { attack_mode: Siren, ip: List, rule: Shield, managed: ShieldCheck };

function isAction(action: string): action is keyof typeof DECISION_NAMES {
  return Object.hasOwn(DECISION_NAMES, action);
}

function StepRow({ step, isDecisive }: { readonly step: Step; readonly isDecisive: boolean }): ReactNode {
  const { outcome, action, reason, groups = [], count, limit } = step;
  const known = isAction(action) ? action : "log";
  const Sign = PHASE_SIGNS[step.phase];
  return (
    <li>
      <span className={isDecisive ? `knot badge on-${known}` : "knot"}>
        {isDecisive ? <ActionSign action={known} /> : <Sign className="i i-s" />}
      </span>
      <div>
        <CauseText cause={step} />
        {reason !== undefined && <p className="small">{reason}</p>}
        {count !== undefined && (
          <p className="small">Counted: {limit === undefined ? count : `${count} of ${limit}`}</p>
        )}
        {groups.length > 0 && (
          <details open={isDecisive}>
            <summary className="small">Conditions</summary>
            <Groups groups={groups} />
          </details>
        )}
      </div>
      {isDecisive ? (
        <DecisionBadge decision={{ action: known }} />
      ) : (
        <span className="small">
          {OUTCOMES[outcome]}
          {outcome === "matched" && `, ${isAction(action) ? DECISION_NAMES[action] : action}`}
        </span>
      )}
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

interface Props {
  /** Null: they are not known. */
  readonly steps: readonly Step[] | null;
  readonly decision: Pick<Decision, "by">;
  /** By which configuration. */
  readonly about?: string | undefined;
  /** What decided, in words. */
  readonly why?: ReactNode;
  /** Below them. */
  readonly children?: ReactNode;
}

export function Steps({ steps: known, decision, about, why, children }: Props): ReactNode {
  const steps = known ?? [];
  const decisive = findDecisive(steps, decision);
  const numbered = steps.map((step, at) => ({ step, at }));
  const before = numbered.filter(({ step }) => !step.isAfterDecision);
  const after = numbered.filter(({ step }) => step.isAfterDecision);
  const rowsOf = (rows: typeof numbered): ReactNode => (
    <ol className="steps">
      {rows.map(({ step, at }) => (
        <StepRow key={at} step={step} isDecisive={at === decisive} />
      ))}
    </ol>
  );
  return (
    <section className="panel">
      <header>
        <h2>How it was decided</h2>
        <span className="small">{about}</span>
      </header>
      {why}
      {known?.length === 0 && (
        <p>There is nothing that could decide: no rule, no matching address entry and no managed set.</p>
      )}
      {before.length > 0 && rowsOf(before)}
      {after.length > 0 && (
        <>
          <h3>What would have followed</h3>
          {rowsOf(after)}
        </>
      )}
      {children}
    </section>
  );
}
