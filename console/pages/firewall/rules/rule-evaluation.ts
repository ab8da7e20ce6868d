// Has the server look at a rule as it is typed: what it decides about a request, and what is wrong with the rule's values.
import { useEffect, useState } from "react";
import { isRefusal } from "../../../api/call.ts";
import { useApi } from "../../../api/queries.ts";
import type { Change } from "../config-types.ts";
import { useFirewallQuery } from "../firewall-config.ts";
import type { Attributes } from "../try/request-attributes.ts";
import type { NewRule } from "./rule-form.ts";

/** The server is asked once for what was typed, not at each letter. */
const SETTLED_MS = 400;

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as T), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export interface RuleProblem {
  /** In the rule: `conditionGroup[0].conditions[1].value`. */
  readonly field: string;
  readonly message: string;
  /** Of a list of values the one that it is about. */
  readonly value?: string;
}

const VALUE = /^(conditionGroup\[(\d+)\]\.conditions\[(\d+)\]\.value)\[(\d+)\]$/;

/** All that a refusal says about the rule that was sent. */
export function problemsOf(error: Error | null, { conditionGroup }: NewRule): readonly RuleProblem[] {
  if (!isRefusal(error)) return [];
  const { errors } = error.details;
  const listed = Array.isArray(errors)
    ? (errors as readonly RuleProblem[])
    : [{ field: error.field, message: error.message }];
  const inRule = /^(?:body\.)?(?:change\.)?value\./;
  return listed
    .filter(({ field }) => inRule.test(field))
    .map(({ field, message }) => {
      const path = field.replace(inRule, "");
      const [, list, group, condition, at] = VALUE.exec(path) ?? [];
      const values = conditionGroup[Number(group)]?.conditions[Number(condition)]?.value;
      return list !== undefined && Array.isArray(values)
        ? { field: list, message, value: String(values[Number(at)]) }
        : { field: path, message };
    });
}

/** The change that saving would make, with the rule switched on. */
function changeOf(id: string | null, meant: NewRule): Change {
  const value = { ...meant, active: true };
  return id === null ? { action: "rules.insert", value } : { action: "rules.update", id, value };
}

const hasList = ({ conditionGroup }: NewRule): boolean =>
  conditionGroup.some(({ conditions }) => conditions.some(({ value }) => Array.isArray(value) && value.length > 0));

/** A rule with lists is looked at without a request, too. */
export function useRuleEvaluation(id: string | null, meant: NewRule, request: Attributes | null) {
  const query = useFirewallQuery();
  const { rule, ...body } = useSettled({
    requests: [request ?? { url: "/" }],
    change: changeOf(id, meant),
    attackMode: false,
    rule: request || hasList(meant) ? meant : null,
  });
  const evaluation = useApi(
    "POST /v1/firewalls/:configVersion/evaluate",
    { params: { configVersion: "draft" }, query, body },
    { enabled: rule !== null },
  );
  // What was wrong stays marked until the next look is over.
  const [problems, setProblems] = useState<readonly RuleProblem[]>([]);
  const found = rule ? problemsOf(evaluation.error, rule) : [];
  const isOver = rule === null || !evaluation.isPending;
  if (isOver && JSON.stringify(found) !== JSON.stringify(problems)) setProblems(found);
  return { ...evaluation, problems };
}

export type RuleEvaluation = ReturnType<typeof useRuleEvaluation>;
