// Bypass rules as responses and events show them.
import type { ConditionGroup } from "../evaluator/config.ts";
import type { BypassRuleRow } from "./rule-store.ts";

/** The id of a rule, which is unique by project and domain. */
export function ruleId({ project_id, domain }: Pick<BypassRuleRow, "project_id" | "domain">): string {
  return `${project_id}#${domain}`;
}

export function conditionGroupOf({ condition_group }: Pick<BypassRuleRow, "condition_group">): ConditionGroup[] {
  return JSON.parse(condition_group) as ConditionGroup[];
}

export function publicRule(row: BypassRuleRow) {
  return {
    id: ruleId(row),
    ownerId: row.owner_id,
    projectId: row.project_id,
    domain: row.domain,
    conditionGroup: conditionGroupOf(row),
    cost: row.cost,
    note: row.note,
    createdAt: new Date(row.created_at).toISOString(),
    createdBy: row.creator_id,
    updatedAt: new Date(row.updated_at).toISOString(),
    updatedBy: row.actor_id,
  };
}

/** The members of a rule that a change can affect. */
export function ruleState(row: BypassRuleRow) {
  return { conditionGroup: conditionGroupOf(row), note: row.note };
}
