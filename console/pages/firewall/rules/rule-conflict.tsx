// Two people have changed the same rule: both versions, to choose from.
import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { TEXTS } from "../../../texts.ts";
import type { Rule, SharedCondition } from "../config-types.ts";
import type { NewRule } from "./rule-form.ts";
import { ruleWords } from "./rule-words.ts";

const T = TEXTS.rule;

interface Props {
  /** Undefined: somebody has deleted it. */
  readonly stored: Rule | undefined;
  readonly meant: NewRule;
  readonly shared: readonly SharedCondition[];
  readonly onTake: (stored: Rule) => void;
  /** Null: it becomes a new rule. */
  readonly onKeep: (stored: Rule | null) => void;
  readonly onLeave: () => void;
}

export function RuleConflict({ stored, meant, shared, onTake, onKeep, onLeave }: Props): ReactNode {
  return (
    <div className="notice" role="alert">
      <p>{stored ? T.conflict : T.conflictGone}</p>
      <dl>
        {stored && (
          <>
            <dt>{T.theirs}</dt>
            <dd>
              <strong>{stored.name}</strong> {ruleWords(stored, shared)}
            </dd>
          </>
        )}
        <dt>{T.yours}</dt>
        <dd>
          <strong>{meant.name}</strong> {ruleWords(meant, shared)}
        </dd>
      </dl>
      <div className="tools">
        <Button onClick={() => onKeep(stored ?? null)}>{stored ? T.keep : T.keepNew}</Button>
        <Button kind="plain" onClick={() => (stored ? onTake(stored) : onLeave())}>
          {stored ? T.take : T.back}
        </Button>
      </div>
    </div>
  );
}
