// The form of one rule, with what it means in words and what may not be meant.
import { useId, useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { onSubmit } from "../../../parts/form.tsx";
import { useLeaveWarning } from "../../../parts/leave-warning.ts";
import { usePageTitle } from "../../../parts/page-title.tsx";
import { SaveBar } from "../../../parts/save-bar.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { ChangedMeanwhile, useStage } from "../firewall-config.ts";
import type { Rule, SharedCondition } from "../config-types.ts";
import { ActionFields } from "./action-fields.tsx";
import type { Problems } from "./condition-fields.tsx";
import { Doubts } from "./doubts.tsx";
import { GroupFields } from "./group-fields.tsx";
import type { Attributes } from "../try/request-attributes.ts";
import { RuleConflict } from "./rule-conflict.tsx";
import { problemsOf, useRuleEvaluation } from "./rule-evaluation.ts";
import type { RuleProblem } from "./rule-evaluation.ts";
import { NEW_RULE, countChanges, ruleOf, typedRule, withoutTyped } from "./rule-form.ts";
import type { NewRule, TypedRule } from "./rule-form.ts";
import { lintRule } from "./rule-lint.ts";
import { Heading } from "./rule-heading.tsx";
import { RuleTest } from "./rule-test.tsx";
import { rulePieces } from "./rule-words.ts";
import { Sentence } from "./sentence.tsx";
import "../../../style/rule-editor.css";

/** The problem with a member, or with something inside it; of a list with one of its values, which the server is asked about early. */
function finder(stored: readonly RuleProblem[], early: readonly RuleProblem[]): Problems {
  return (path, value) =>
    (value === undefined ? stored : [...stored, ...early])
      .filter((one) => (one.field === path || one.field.startsWith(`${path}[`)) && one.value === value)
      .map(({ message }) => message)
      .filter((message, at, all) => all.indexOf(message) === at)
      .join("; ") || null;
}

interface Props {
  /** Null: a new one. */
  readonly rule: Rule | null;
  /** Whose copy a new one is. */
  readonly copied: NewRule | null;
  readonly shared: readonly SharedCondition[];
  readonly why: string | null;
  /** `Rule 1 of 8`; null: it has none yet. */
  readonly place: string | null;
  /** The address of the list. */
  readonly back: string;
}

function useRuleForm({ rule, copied, back }: Props) {
  const [, navigate] = useLocation();
  // What is stored meanwhile does not change what was typed.
  const [base, setBase] = useState<Rule | null>(rule);
  const [first, setFirst] = useState(() => typedRule(rule ?? copied ?? NEW_RULE));
  const [typed, setTyped] = useState<TypedRule>(first);
  const stage = useStage(() => navigate(back));
  const meant = ruleOf(typed, base ?? NEW_RULE);
  const save = (known: Rule | null): void =>
    stage.mutate(
      known
        ? {
            change: { action: "rules.update", id: known.id, value: meant },
            replaces: { find: ({ rules }) => rules.find(({ id }) => id === known.id), known },
          }
        : { change: { action: "rules.insert", value: meant } },
    );
  const take = (stored: Rule): void => {
    const taken = typedRule(stored);
    setBase(stored);
    setFirst(taken);
    setTyped(taken);
    stage.reset();
  };
  const keep = (stored: Rule | null): void => {
    setBase(stored);
    save(stored);
  };
  return { base, first, typed, setTyped, meant, save, take, keep, stage };
}

export function RuleEditor(props: Props): ReactNode {
  const { rule, shared, why, back, place } = props;
  const { base, first, typed, setTyped, meant, save, take, keep, stage } = useRuleForm(props);
  const id = useId();
  const changes = countChanges(first, typed);
  useLeaveWarning(changes > 0 && !stage.isSuccess);
  usePageTitle(typed.name.trim() || "New rule");
  const { error } = stage;
  const [request, setRequest] = useState<Attributes | null>(null);
  const evaluation = useRuleEvaluation(base?.id ?? null, meant, request);
  const [sent, setSent] = useState(meant);
  const listed = problemsOf(error, sent);
  const problems = finder(listed, evaluation.problems);
  const change = (part: Partial<TypedRule>): void => setTyped({ ...typed, ...part });
  const submit = onSubmit(() => {
    setSent(meant);
    setTyped(withoutTyped(typed));
    save(base);
  });
  return (
    <div className="rule-editor">
      <Heading
        form={id}
        rule={rule}
        back={back}
        place={place}
        typed={typed}
        why={why}
        problems={problems}
        onChange={change}
      />
      <div className="beside">
        <form id={id} onSubmit={submit}>
          {error instanceof ChangedMeanwhile ? (
            <RuleConflict
              stored={error.stored as Rule | undefined}
              meant={meant}
              shared={shared}
              onTake={take}
              onKeep={keep}
              back={back}
            />
          ) : (
            error && listed.length === 0 && <Problem error={error} />
          )}
          <input
            className="lead"
            aria-label="Description"
            placeholder="Add a description"
            autoComplete="off"
            value={typed.description}
            onChange={({ target }) => change({ description: target.value })}
          />
          {problems("description") !== null && <p className="field-problem">{problems("description")}</p>}
          <section className="panel">
            <h2>
              When <span className="small">all conditions of one group match</span>
            </h2>
            <GroupFields
              groups={typed.groups}
              problems={problems}
              shared={shared}
              onChange={(groups) => change({ groups })}
            />
          </section>
          <section className="panel">
            <h2>Then</h2>
            <ActionFields mitigate={typed.mitigate} problems={problems} onChange={(mitigate) => change({ mitigate })} />
          </section>
          <section className="panel" aria-live="polite">
            <h2>In words</h2>
            <p className="sentence">
              <Sentence of={rulePieces(meant, shared)} />
            </p>
            <Doubts doubts={lintRule(meant, shared)} />
          </section>
        </form>
        <RuleTest id={base?.id ?? null} evaluation={evaluation} shared={shared} onRequest={setRequest} />
      </div>
      <SaveBar
        form={id}
        changes={changes}
        about="Saved to the draft; enforced when you publish it"
        label="Save to draft"
        whyNot={why}
        busy={stage.isPending}
        onDiscard={() => setTyped(first)}
      />
    </div>
  );
}
