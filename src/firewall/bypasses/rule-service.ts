// Handlers of bypass rules.
import type { ConditionGroup } from "../evaluator/config.ts";
import { costOfGroups } from "../evaluator/cost.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { ApiError, fieldError, notFound } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventType } from "../../events/events/types.ts";
import { GROUPS_EXAMPLE, checkNamed, parseHostPattern, parseGroups } from "../configurations/config-rules.ts";
import { addError, hasMaxErrors, object, optional, parseBody, required, text } from "../configurations/parse-rules.ts";
import { beginProject } from "../../teams/projects/existence.ts";
import { projectKeyOf } from "../../platform/kernel/project.ts";
import { MAX_BYPASS_RULES, MAX_RULE_BYTES } from "./rule-contract.ts";
import type { bypassRulesContract } from "./rule-contract.ts";
import { listRulePage } from "./rule-list.ts";
import { deleteBypassRule, findBypassRule, insertBypassRule, measureOthers, replaceBypassRule } from "./rule-store.ts";
import type { BypassRuleRow } from "./rule-store.ts";
import { publicRule, ruleId, ruleState } from "./rule-view.ts";

type WriteCall = Call<typeof bypassRulesContract.addBypassRule>;
type Key = { readonly ownerId: string; readonly projectId: string; readonly domain: string };

interface WantedRule {
  readonly domain: string;
  readonly conditionGroup: readonly ConditionGroup[];
  readonly note?: string;
}

const parseRule = object<WantedRule>(
  {
    domain: required(parseHostPattern),
    conditionGroup: required(parseGroups, GROUPS_EXAMPLE),
    note: optional(text({ max: 500 })),
  },
  (rule, at, context, isValid) => {
    // When parsing stopped, the rest is unchecked.
    if (hasMaxErrors(context) || !isValid("conditionGroup")) return;
    checkNamed(rule, at, context, () => "expected no shared condition, which only a configuration has");
    if (rule.conditionGroup.length === 0) addError(context, `${at}.conditionGroup`, "expected at least 1 group");
    const size = Buffer.byteLength(JSON.stringify(rule.conditionGroup));
    if (size > MAX_RULE_BYTES) {
      addError(context, `${at}.conditionGroup`, `expected at most ${MAX_RULE_BYTES} bytes as JSON, got ${size}`);
    }
  },
);

function requireCost(cost: number, others: number, limit: number): void {
  if (cost + others <= limit) return;
  throw new ApiError(
    "firewall_too_costly",
    `expected bypass rules that cost at most ${limit} in all, got ${cost + others}: use fewer conditions and shorter ` +
      "expressions, or a higher REEVE_FIREWALL_COST_LIMIT",
    { cost: cost + others, limit },
  );
}

/** Parses a body to a row. Throws when it exceeds a limit. */
async function readWanted(tx: Tx, call: WriteCall, findExisting: (key: Key) => Promise<BypassRuleRow | undefined>) {
  const { firewallCostLimit } = call.instance;
  const { domain, conditionGroup, note = "" } = parseBody(parseRule, call.body, "body", firewallCostLimit);
  const key: Key = { ...projectKeyOf(call), domain: domain.toLowerCase() };
  const existing = await findExisting(key);
  const others = await measureOthers(tx, key);
  const cost = costOfGroups(conditionGroup);
  requireCost(cost, others?.cost ?? 0, firewallCostLimit);
  const { caller, now } = call;
  const actorId = caller.account?.id ?? caller.principalId;
  const row: BypassRuleRow = {
    ...key,
    conditionGroup: JSON.stringify(conditionGroup),
    cost,
    note,
    creatorId: existing?.creatorId ?? actorId,
    actorId,
    createdAt: existing?.createdAt ?? now,
    updatedAt: now,
  };
  return { key, row, existing, others: others?.count ?? 0 };
}

async function record(
  tx: Tx,
  call: Pick<WriteCall, "caller" | "origin" | "now">,
  type: EventType,
  did: string,
  { previous, next }: { readonly previous?: BypassRuleRow; readonly next?: BypassRuleRow },
): Promise<void> {
  const row = (next ?? previous) as BypassRuleRow;
  const { ownerId, projectId, domain } = row;
  await emit(tx, call, {
    type,
    ownerId,
    entityId: ruleId(row),
    text: `${did} the bypass rule of ${projectId} for ${domain}`,
    payload: { projectId, domain },
    ...(previous && { previous: ruleState(previous) }),
    ...(next && { next: ruleState(next) }),
  });
}

function written(row: BypassRuleRow) {
  return { rendered: JSON.stringify({ ok: true, result: [publicRule(row)], pagination: null }) };
}

/** The domain of a removal, which clients send in the query or in the body. */
function readDomain({ query, body }: Call<typeof bypassRulesContract.removeBypassRule>): string {
  const domain = query.domain ?? body?.domain;
  if (domain === undefined) throw fieldError("bad_request", "query.domain", "is required, here or in the body");
  if (body?.domain !== undefined && body.domain !== domain) {
    throw fieldError("bad_request", "body.domain", "expected the same domain as in the query, or none");
  }
  return domain.toLowerCase();
}

export const bypassRulesService: Implements<typeof bypassRulesContract> = {
  listBypassRules: listRulePage,

  async addBypassRule(tx, call) {
    const { key, row, others } = await readWanted(tx, call, async (wanted) => {
      if (!(await findBypassRule(tx, wanted))) return undefined;
      const { domain } = wanted;
      throw new ApiError("bypass_rule_exists", `${domain} has a bypass rule: replace it with PUT`, { domain });
    });
    if (others >= MAX_BYPASS_RULES) {
      throw new ApiError("too_many_bypasses", `A project has at most ${MAX_BYPASS_RULES} bypass rules`);
    }
    await beginProject(tx, call, key.projectId);
    await insertBypassRule(tx, { ...row, now: call.now });
    await record(tx, call, "firewall-bypass-rule-created", "added", { next: row });
    return written(row);
  },

  async replaceBypassRule(tx, call) {
    const { row, existing } = await readWanted(tx, call, async (wanted) => {
      const found = await findBypassRule(tx, wanted);
      if (!found) throw notFound("Bypass rule");
      return found;
    });
    const previous = existing as BypassRuleRow;
    if (previous.conditionGroup === row.conditionGroup && previous.note === row.note) return written(previous);
    await replaceBypassRule(tx, { ...row, now: call.now });
    await record(tx, call, "firewall-bypass-rule-updated", "replaced", { previous, next: row });
    return written(row);
  },

  async removeBypassRule(tx, call) {
    const key = { ...projectKeyOf(call), domain: readDomain(call) };
    const row = await findBypassRule(tx, key);
    if (!row) throw notFound("Bypass rule");
    await deleteBypassRule(tx, key);
    await record(tx, call, "firewall-bypass-rule-deleted", "removed", { previous: row });
    return { ok: true };
  },
};
