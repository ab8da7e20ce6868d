// The form of one rule, with what it means in words and what may not be meant.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { isRefusal } from "../../../api/call.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { onSubmit } from "../../../parts/form.tsx";
import { useLeaveWarning } from "../../../parts/leave-warning.ts";
import { Problem } from "../../../parts/problem.tsx";
import { ChangedMeanwhile, useStage } from "../firewall-config.ts";
import type { Rule, SharedCondition } from "../config-types.ts";
import { ActionFields } from "./action-fields.tsx";
import type { Problems } from "./condition-fields.tsx";
import { Doubts } from "./doubts.tsx";
import { GroupFields } from "./group-fields.tsx";
import { RuleConflict } from "./rule-conflict.tsx";
import { NEW_RULE, ruleOf, typedRule } from "./rule-form.ts";
import type { NewRule, TypedRule } from "./rule-form.ts";
import { lintRule } from "./rule-lint.ts";
import { ruleWords } from "./rule-words.ts";

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
  /** The address of the list. */
  readonly back: string;
}

function useRuleForm({ rule, copied, back }: Props) {
  const [, navigate] = useLocation();
  // What is stored meanwhile does not change what was typed.
  const [base, setBase] = useState<Rule | null>(rule);
  const [first] = useState(() => typedRule(rule ?? copied ?? NEW_RULE));
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
    setBase(stored);
    setTyped(typedRule(stored));
    stage.reset();
  };
  const keep = (stored: Rule | null): void => {
    setBase(stored);
    save(stored);
  };
  return { base, typed, setTyped, isChanged: typed !== first, meant, save, take, keep, stage };
}

export function RuleEditor(props: Props): ReactNode {
  const { shared, why, back } = props;
  const { base, typed, setTyped, isChanged, meant, save, take, keep, stage } = useRuleForm(props);
  useLeaveWarning(isChanged && !stage.isSuccess);
  const { error } = stage;
  const listed = problemsOf(error);
  const problems = finder(listed);
  const change = (part: Partial<TypedRule>): void => setTyped({ ...typed, ...part });
  const text = (name: "name" | "description", label: string, isRequired: boolean) => (
    <Field label={label} problem={problems(name)}>
      {(control) => (
        <input
          {...control}
          required={isRequired}
          autoComplete="off"
          value={typed[name]}
          onChange={({ target }) => change({ [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <form className="rule-form" onSubmit={onSubmit(() => save(base))}>
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
      <section className="panel">
        {text("name", "Name", true)}
        {text("description", "Description", false)}
        <label className="check">
          <input type="checkbox" checked={typed.active} onChange={({ target }) => change({ active: target.checked })} />
          The rule is on
        </label>
      </section>
      <section className="panel">
        <h2>When</h2>
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
        <p>{ruleWords(meant, shared)}</p>
        <Doubts doubts={lintRule(meant)} />
      </section>
      <footer className="tools">
        <Button type="submit" disabledBecause={why} busy={stage.isPending}>
          Save to draft
        </Button>
        <Link className="button plain" href={back}>
          Back to the rules
        </Link>
      </footer>
    </form>
  );
}
