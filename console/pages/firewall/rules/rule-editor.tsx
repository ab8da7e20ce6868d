// The form of one rule, with what it means in words and what may not be meant.
import { useId, useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { isRefusal } from "../../../api/call.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { NOTHING_CHANGED, onSubmit } from "../../../parts/form.tsx";
import { useLeaveWarning } from "../../../parts/leave-warning.ts";
import { PageActions, usePageTitle } from "../../../parts/page-title.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { ChangedMeanwhile, useStage } from "../firewall-config.ts";
import type { Rule, SharedCondition } from "../config-types.ts";
import { ActionFields } from "./action-fields.tsx";
import type { Problems } from "./condition-fields.tsx";
import { Doubts } from "./doubts.tsx";
import { GroupFields } from "./group-fields.tsx";
import { RuleConflict } from "./rule-conflict.tsx";
import { NEW_RULE, countChanges, ruleOf, typedRule } from "./rule-form.ts";
import type { NewRule, TypedRule } from "./rule-form.ts";
import { lintRule } from "./rule-lint.ts";
import { RuleTest } from "./rule-test.tsx";
import { rulePieces } from "./rule-words.ts";
import { Sentence } from "./sentence.tsx";
import "../../../style/rule-editor.css";

interface Listed {
  readonly field: string;
  readonly message: string;
}

/** All errors of a refusal, by their paths in the rule. */
function problemsOf(error: Error | null): readonly Listed[] {
  if (!isRefusal(error)) return [];
  const { errors } = error.details;
  const listed = Array.isArray(errors) ? (errors as Listed[]) : [{ field: error.field, message: error.message }];
  const inValue = /^(?:body\.)?value\./;
  return listed
    .filter(({ field }) => inValue.test(field))
    .map(({ field, message }) => ({ field: field.replace(inValue, ""), message }));
}

/** The problem with a member, or with something inside a list of texts. */
function finder(listed: readonly Listed[]): Problems {
  return (path) =>
    listed
      .filter(({ field }) => field === path || field.startsWith(`${path}[`))
      .map(({ message }) => message)
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

interface NamesProps {
  readonly typed: TypedRule;
  readonly problems: Problems;
  readonly onChange: (part: Partial<TypedRule>) => void;
}

function Names({ typed, problems, onChange }: NamesProps): ReactNode {
  const text = (name: "name" | "description", label: string, isRequired: boolean) => (
    <Field label={label} problem={problems(name)}>
      {(control) => (
        <input
          {...control}
          required={isRequired}
          autoComplete="off"
          value={typed[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <section className="panel columns" aria-label="Name and description">
      {text("name", "Name", true)}
      {text("description", "Description", false)}
    </section>
  );
}

/** Beside the title: the place of the rule, and whether it is on. */
function Heading({
  place,
  typed,
  why,
  onChange,
}: Pick<Props, "place" | "why"> & Omit<NamesProps, "problems">): ReactNode {
  return (
    <PageActions>
      {place !== null && <span className="badge">{place}</span>}
      <label className="check">
        <input
          type="checkbox"
          role="switch"
          className="switch"
          checked={typed.active}
          aria-checked={typed.active}
          aria-disabled={why !== null}
          aria-description={why ?? undefined}
          onChange={({ target }) => why === null && onChange({ active: target.checked })}
        />
        On
      </label>
    </PageActions>
  );
}

interface SaveBarProps {
  readonly form: string;
  readonly changes: number;
  readonly why: string | null;
  readonly isBusy: boolean;
  readonly onDiscard: () => void;
}

function SaveBar({ form, changes, why, isBusy, onDiscard }: SaveBarProps): ReactNode {
  return (
    <div className="save-bar">
      <p className="grow">
        {changes === 0 ? "No unsaved changes" : `${changes} unsaved ${changes === 1 ? "change" : "changes"}`}{" "}
        <span className="small">Saved to the draft; enforced when you publish it</span>
      </p>
      <Button kind="plain" disabledBecause={changes === 0 ? NOTHING_CHANGED : null} onClick={onDiscard}>
        Discard
      </Button>
      <Button type="submit" form={form} disabledBecause={why} busy={isBusy}>
        Save to draft
      </Button>
    </div>
  );
}

export function RuleEditor(props: Props): ReactNode {
  const { shared, why, back, place } = props;
  const { base, first, typed, setTyped, meant, save, take, keep, stage } = useRuleForm(props);
  const id = useId();
  const changes = countChanges(first, typed);
  useLeaveWarning(changes > 0 && !stage.isSuccess);
  usePageTitle(typed.name.trim() || "New rule");
  const { error } = stage;
  const listed = problemsOf(error);
  const problems = finder(listed);
  const change = (part: Partial<TypedRule>): void => setTyped({ ...typed, ...part });
  return (
    <div className="rule-editor">
      <Heading place={place} typed={typed} why={why} onChange={change} />
      <div className="beside">
        <form id={id} onSubmit={onSubmit(() => save(base))}>
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
          <Names typed={typed} problems={problems} onChange={change} />
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
            <Doubts doubts={lintRule(meant)} />
          </section>
        </form>
        <RuleTest id={base?.id ?? null} meant={meant} shared={shared} />
      </div>
      <SaveBar form={id} changes={changes} why={why} isBusy={stage.isPending} onDiscard={() => setTyped(first)} />
    </div>
  );
}
