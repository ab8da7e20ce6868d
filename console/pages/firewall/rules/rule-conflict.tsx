// Two people have changed the same rule: both versions, to choose from.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Button } from "../../../parts/button.tsx";
import type { Rule, SharedCondition } from "../config-types.ts";
import { Differences } from "../difference.tsx";
import type { NewRule } from "./rule-form.ts";
import { ruleWords } from "./rule-words.ts";

interface Props {
  /** Undefined: somebody has deleted it. */
  readonly stored: Rule | undefined;
  readonly meant: NewRule;
  readonly shared: readonly SharedCondition[];
  readonly onTake: (stored: Rule) => void;
  /** Null: it becomes a new rule. */
  readonly onKeep: (stored: Rule | null) => void;
  /** The address of the list. */
  readonly back: string;
}

export function RuleConflict({ stored, meant, shared, onTake, onKeep, back }: Props): ReactNode {
  return (
    <div className="notice" role="alert">
      <p>
        {stored
          ? "Somebody else has changed this rule while you did."
          : "Somebody else has deleted this rule while you changed it."}
      </p>
      {stored ? (
        <>
          <p>Crossed out is what is stored now, then what yours would make of it:</p>
          <Differences
            differences={[{ kind: "changed", part: "rules", id: stored.id, before: stored, after: meant }]}
          />
        </>
      ) : (
        <p>
          <strong>{meant.name}</strong> {ruleWords(meant, shared)}
        </p>
      )}
      <div className="tools">
        <Button onClick={() => onKeep(stored ?? null)}>
          {stored ? "Store mine over it" : "Store mine as a new rule"}
        </Button>
        {stored ? (
          <Button kind="plain" onClick={() => onTake(stored)}>
            Take theirs
          </Button>
        ) : (
          <Link className="button plain" href={back}>
            Back to the rules
          </Link>
        )}
      </div>
    </div>
  );
}
