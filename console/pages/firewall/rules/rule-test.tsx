// Tries a request on the rule as it is typed: whether it matches, by which conditions, and what would be decided. Nothing is stored.
import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { isRefusal } from "../../../api/call.ts";
import { Field } from "../../../parts/field.tsx";
import { fieldsOf, problemWith } from "../../../parts/form.tsx";
import type { Fields } from "../../../parts/form.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { ActionBadge } from "../action-badge.tsx";
import { DECISION_NAMES } from "../action-words.ts";
import type { Condition, SharedCondition } from "../config-types.ts";
import { CauseText, isOfEngine } from "../try/decision.tsx";
import type { Evaluation } from "../try/decision.tsx";
import { pasteCurl } from "../try/paste-curl.ts";
import { HeaderProblem, METHODS, readAttributes } from "../try/request-attributes.ts";
import type { Attributes } from "../try/request-attributes.ts";
import type { RuleEvaluation } from "./rule-evaluation.ts";
import { conditionPieces } from "./rule-words.ts";
import { Sentence } from "./sentence.tsx";
import { Select } from "../../../parts/select.tsx";

interface Tested {
  /** Null: there is nothing to try yet. */
  readonly request: Attributes | null;
  readonly headerProblem: string | null;
}

const NOTHING: Tested = { request: null, headerProblem: null };

function read(field: Fields): Tested {
  try {
    return field("url") === "" ? NOTHING : { request: readAttributes(field), headerProblem: null };
  } catch (error) {
    if (!(error instanceof HeaderProblem)) throw error;
    return { request: null, headerProblem: error.message };
  }
}

type Result = Evaluation["results"][number];
type Step = NonNullable<Result["steps"]>[number];

function Conditions({
  groups,
  shared,
}: {
  readonly groups: Step["groups"];
  readonly shared: readonly SharedCondition[];
}) {
  return (groups ?? []).map(({ conditions }, at) => (
    <ul key={at} className="tried" aria-label={`Conditions of group ${at + 1}`}>
      {conditions.map(({ type, op, neg, key, expected, holds }, index) => {
        const condition = { type, op, neg, ...(key !== undefined && { key }), value: expected } as Condition;
        return (
          <li key={index} className={holds ? undefined : "quiet"}>
            {holds ? <CircleCheck className="i i-s good" /> : <CircleX className="i i-s" />}
            <span>
              <span className="hidden">{holds ? "Matches: " : "Does not match: "}</span>
              <Sentence of={conditionPieces(condition, shared)} />
            </span>
          </li>
        );
      })}
    </ul>
  ));
}

function Tried({
  result: { decision, steps = [] },
  id,
  shared,
}: {
  readonly result: Result;
  readonly id: string | null;
  readonly shared: readonly SharedCondition[];
}): ReactNode {
  const rules = steps.filter((step) => step.phase === "rule" && !isOfEngine(step));
  const step = id === null ? rules.at(-1) : rules.find((one) => one.id === id);
  const { by, action } = decision;
  const isByOther = by !== null && by.id !== step?.id;
  return (
    <>
      <p>
        <ActionBadge action={action} text={`Would be ${DECISION_NAMES[action]}`} />
      </p>
      <p>
        {step?.outcome === "matched" && "The rule matches."}
        {step?.outcome === "under_limit" && "The rule matches; the request is below its limit."}
        {step?.outcome === "not_matched" && "The rule does not match."}
        {step?.outcome === "skipped" && `The rule is skipped: ${step.reason ?? "another one decides"}.`}
        {!step && "The firewall is off, so no rule is tried."}
        {isByOther && (
          <>
            {" "}
            Decided by <CauseText cause={by} />
          </>
        )}
      </p>
      <Conditions groups={step?.groups} shared={shared} />
    </>
  );
}

function Outcome(props: { readonly evaluation: RuleEvaluation } & Omit<Parameters<typeof Tried>[0], "result">) {
  const { evaluation, ...rest } = props;
  const { data, error } = evaluation;
  if (error) {
    if (isRefusal(error) && error.code === "invalid_firewall")
      return <p className="hint">The rule is not complete yet, so it cannot be tried.</p>;
    return problemWith(error, "requests[0].url") || problemWith(error, "requests[0].ip") ? null : (
      <Problem error={error} />
    );
  }
  const result = data?.value.results[0];
  return result ? <Tried result={result} {...rest} /> : null;
}

export function RuleTest({
  id,
  evaluation,
  shared,
  onRequest,
}: {
  /** Of the stored rule; null: it is not stored yet. */
  readonly id: string | null;
  readonly evaluation: RuleEvaluation;
  readonly shared: readonly SharedCondition[];
  readonly onRequest: (request: Attributes | null) => void;
}): ReactNode {
  const [{ request, headerProblem }, setTested] = useState<Tested>(NOTHING);
  const [method, setMethod] = useState("GET");
  const problem = (name: string) => problemWith(evaluation.error, `requests[0].${name}`);
  const text = (name: string, label: string, placeholder: string, at = name) => (
    <Field label={label} problem={problem(at)}>
      {(control) => (
        <input
          {...control}
          name={name}
          className="mono"
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </Field>
  );
  return (
    <aside className="panel rule-test" aria-label="Test">
      <h2>Test</h2>
      {/* What is typed here is not a part of the rule. */}
      <form
        onSubmit={(event) => event.preventDefault()}
        onInput={({ currentTarget }) => {
          const tested = read(fieldsOf(currentTarget));
          setTested(tested);
          onRequest(tested.request);
        }}
        onPaste={(event) => pasteCurl(event, setMethod)}
      >
        <div className="request-line">
          <Field label="Method">
            {(control) => (
              <Select
                {...control}
                name="method"
                choices={[...new Set([...METHODS, method])]}
                value={method}
                onChange={setMethod}
              />
            )}
          </Field>
          {text("url", "Path or URL", "/admin/login, or a call of curl")}
        </div>
        {text("ip", "Client address", "192.0.2.7")}
        <details className="more">
          <summary>Headers, country, body</summary>
          <Field label="Headers" hint="One on each line, as Name: value." problem={headerProblem}>
            {(control) => <textarea {...control} name="headers" className="code" rows={3} spellCheck={false} />}
          </Field>
          {text("country", "Country", "DE", "geo.country")}
          <Field label="Body">
            {(control) => <textarea {...control} name="body" className="code" rows={3} spellCheck={false} />}
          </Field>
        </details>
      </form>
      <div aria-live="polite">
        {request === null ? (
          <p className="hint">Type a path to see whether the rule matches. Nothing is stored.</p>
        ) : (
          <Outcome evaluation={evaluation} id={id} shared={shared} />
        )}
      </div>
    </aside>
  );
}
