// The handler that evaluates requests: it reads the configurations and the context, and changes nothing.
import type { ProtectionContext } from "../evaluator/protection-context.ts";
import { accountableOf } from "../../platform/kernel/caller.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { readAttackMode } from "../attack-mode/state.ts";
import { listActiveBypasses } from "../bypasses/list.ts";
import { listBypassRulesOf } from "../bypasses/rule-list.ts";
import { parseAddress } from "../../platform/kernel/network/network.ts";
import { projectKeyOf } from "../../platform/kernel/project.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import type { evaluateContract } from "./contract.ts";
import type { EvaluationPlan } from "./plan.ts";
import type { EvaluationRequest } from "./evaluate.ts";
import { parseChange } from "../configurations/change-rules.ts";
import { findNamed, findToChange } from "../configurations/named.ts";

type EvaluateCall = Call<typeof evaluateContract.evaluateFirewallConfig>;

function refuse(field: string, message: string): never {
  throw fieldError("bad_request", field, message);
}

/** The requests, each with its time. Times must not decrease. */
function readRequests({ body, now }: EvaluateCall, trace: boolean): readonly EvaluationRequest[] {
  let last: number | null = null;
  return body.requests.map(({ at, ...attributes }, index) => {
    if (last !== null && at !== undefined && at < last) {
      refuse(`body.requests[${index}].at`, `expected no time before ${last}, that of the request before`);
    }
    const { ip = "" } = attributes;
    if (ip !== "" && parseAddress(ip) === null) {
      refuse(`body.requests[${index}].ip`, "expected an IPv4 or IPv6 address, such as 203.0.113.7");
    }
    last = at ?? last ?? now;
    return { attributes, at: last, trace };
  });
}

async function readContext(tx: Tx, call: EvaluateCall, { ownerId, projectId }: ProjectKey): Promise<ProtectionContext> {
  const { attackMode, bypasses } = call.body;
  return {
    isAttackMode: attackMode ?? (await readAttackMode(tx, ownerId, projectId, call.now)).isEnabled,
    ...(bypasses
      ? { bypasses: bypasses.map(({ domain = null, ip = null }) => ({ domain, ip })) }
      : {
          bypasses: await listActiveBypasses(tx, ownerId, projectId, call.now),
          bypassRules: await listBypassRulesOf(tx, ownerId, projectId),
        }),
  };
}

export const evaluateService: Implements<typeof evaluateContract> = {
  /** Makes the plan. A worker thread runs it, because evaluation may take long. */
  async evaluateFirewallConfig(tx, call) {
    const { caller, params, body } = call;
    const project = projectKeyOf(call);
    const trace = body.trace ?? body.requests.length === 1;
    const change = body.change ? parseChange(body.change, call.instance.firewallCostLimit, "body.change").change : null;
    const isBegun = change !== null && params.configVersion === "draft";
    const plan: EvaluationPlan = {
      caller: accountableOf(caller),
      requests: readRequests(call, trace),
      trace,
      config: isBegun ? await findToChange(tx, project) : await findNamed(tx, project, params.configVersion),
      change,
      other: body.compareWith === undefined ? null : await findNamed(tx, project, String(body.compareWith)),
      context: await readContext(tx, call, project),
    };
    return { effect: plan };
  },
};
