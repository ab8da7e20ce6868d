// Bypass rules as responses and events show them.
import type { ConditionGroup } from "../evaluator/config.ts";
import { doubtsOf } from "../configurations/doubts.ts";
import type { BypassRuleRow } from "./rule-store.ts";

/** The id of a rule, which is unique by project and domain. */
export function ruleId({ projectId, domain }: Pick<BypassRuleRow, "projectId" | "domain">): string {
  return `${projectId}#${domain}`;
}

export function conditionGroupOf({ conditionGroup }: Pick<BypassRuleRow, "conditionGroup">): ConditionGroup[] {
  return JSON.parse(conditionGroup) as ConditionGroup[];
}

export function publicRule(row: BypassRuleRow) {
  const conditionGroup = conditionGroupOf(row);
  const doubts = doubtsOf(conditionGroup, "rule");
  return {
    id: ruleId(row),
    ownerId: row.ownerId,
    projectId: row.projectId,
    domain: row.domain,
    conditionGroup,
    cost: row.cost,
    note: row.note,
    createdAt: new Date(row.createdAt).toISOString(),
    createdBy: row.creatorId,
    updatedAt: new Date(row.updatedAt).toISOString(),
    updatedBy: row.actorId,
    ...(doubts && { validationErrors: doubts }),
  };
}

/** The members of a rule that a change can affect. */
export function ruleState(row: BypassRuleRow) {
  return { conditionGroup: conditionGroupOf(row), note: row.note };
}
