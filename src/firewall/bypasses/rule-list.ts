// Lists the bypass rules of a project.
import type { BypassRule } from "../evaluator/protection-context.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { offsetLinks } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { projectKeyOf } from "../../platform/kernel/project.ts";
import { DEFAULT_RULE_LIMIT, MAX_BYPASS_RULES } from "./rule-contract.ts";
import type { bypassRulesContract } from "./rule-contract.ts";
import { listBypassRules } from "./rule-store.ts";
import { conditionGroupOf, publicRule, ruleId } from "./rule-view.ts";

/** The domain after which a page begins. */
function readOffset(offset: string | undefined, projectId: string): string {
  const before = `${projectId}#`;
  if (offset === undefined) return "";
  if (offset.startsWith(before)) return offset.slice(before.length);
  throw fieldError("invalid_cursor", "query.offset", "expected the Id of another page's pagination");
}

export async function listRulePage(tx: Tx, call: Call<typeof bypassRulesContract.listBypassRules>) {
  const { limit = DEFAULT_RULE_LIMIT, offset, domain } = call.query;
  const project = projectKeyOf(call);
  const after = readOffset(offset, project.projectId);
  const sought = { after, domain: domain?.toLowerCase() ?? null };
  const rows = await listBypassRules(tx, { ...project, ...sought, limit: limit + 1 });
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const result = rows.slice(0, limit).map(publicRule);
  const pagination = last && { OwnerId: project.ownerId, Id: ruleId(last) };
  return { rendered: JSON.stringify({ result, pagination }), links: offsetLinks(pagination?.Id) };
}

/** The bypass rules of a project, as the evaluator expects them. */
export async function listBypassRulesOf(tx: Tx, ownerId: string, projectId: string): Promise<BypassRule[]> {
  const rows = await listBypassRules(tx, { ownerId, projectId, after: "", domain: null, limit: MAX_BYPASS_RULES });
  return rows.map((row) => ({ domain: row.domain, conditionGroup: conditionGroupOf(row) }));
}
