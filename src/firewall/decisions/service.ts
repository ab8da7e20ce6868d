// Handlers of sampled decisions.
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { notFound } from "../../platform/kernel/errors.ts";
import { isWithin } from "../../platform/kernel/limits.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { projectKeyOf } from "../../platform/kernel/project.ts";
import { requireFiltered } from "../../teams/projects/existence.ts";
import type { decisionsContract } from "./contract.ts";
import type { Details, Summary } from "./decision-schema.ts";
import { reportDecisions } from "./report.ts";
import { findDecision, listDecisions } from "./store.ts";

/** Summaries that were stored earlier have none: their details do. */
const OLDER = { logged: [] };

function summaryOf({ projectId, summary }: { readonly projectId: string; readonly summary: string }) {
  return { ...OLDER, ...(JSON.parse(summary) as Summary), projectId };
}

async function list(tx: Tx, call: Call<typeof decisionsContract.listGateDecisions>) {
  const { action = null, ruleId = null, host } = call.query;
  const bounds = paginationBounds(call.query);
  const filters = { outcome: action, ruleId, host: host?.toLowerCase() ?? null };
  const project = projectKeyOf(call);
  const { items, page } = paginate(await listDecisions(tx, { ...project, ...filters }, bounds), bounds);
  if (items.length === 0) await requireFiltered(tx, project, "query.projectId");
  return { decisions: items.map(summaryOf), pagination: page, page };
}

export const decisionsService: Implements<typeof decisionsContract> = {
  reportGateDecisions: reportDecisions,
  listGateDecisions: list,
  async getGateDecision(tx, { caller, scope, params }) {
    const row = await findDecision(tx, { ownerId: scope.ownerId, id: params.decisionId });
    if (!row || !isWithin(caller, "project", row.projectId)) throw notFound("Decision");
    return { decision: { ...summaryOf(row), ...(JSON.parse(row.details) as Details) } };
  },
};
